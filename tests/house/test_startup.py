"""The command line answers at once: what takes seconds to import waits until it is needed."""

import subprocess
import sys

SLOW = ("torch", "nbformat", "nbgrader", "sklearn", "dask", "jinja2", "a11y_pygments", "matplotlib")


def test_help_does_not_wait_for_what_it_does_not_need():
    asked = f"import sys, tfcourse.cli; print([m for m in {SLOW} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
