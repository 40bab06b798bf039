"""An answer that holds the marks of hidden tests and of solutions, so that parts are cut out.

kind: notebook file
honest: 0
exercise: double
"""

### BEGIN HIDDEN TESTS
double = None
### END HIDDEN TESTS
### BEGIN SOLUTION
require = call = print
### END SOLUTION
# === BEGIN MARK SCHEME ===
# === END MARK SCHEME ===
### BEGIN HIDDEN TESTS
