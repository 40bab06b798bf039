"""A machine with the judge and no course, for the processes of a test: put this on ``PYTHONPATH``.

The course's packages cannot be imported. At its end each process adds to the file ``LOADED`` which
of PyTorch and NumPy it has loaded.
"""

import atexit
import os
import sys
from importlib.machinery import PathFinder

COURSE = {"tfcourse", "coursebook", "nbjudge_tfcourse"}

#: What is not installed either if ``REFUSE`` is set: neither library, nor Dask.
MORE = {"torch", "numpy", "dask", "distributed"} if os.environ.get("REFUSE") else set()


class NoCourse:
    """An import finder that comes first, and has no course."""

    def find_spec(self, name, path=None, target=None):
        """Refuse the course's packages."""
        if name.partition(".")[0] in COURSE:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


class Without(PathFinder):
    """Finds what is installed, without some of it."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        """Find a module, as Python does."""
        if name.partition(".")[0] in MORE:
            return None
        return super().find_spec(name, path, target)


def tell():
    """Add to the file what was loaded."""
    with open(os.environ["LOADED"], "a") as file:
        file.write(f"{' '.join({'numpy', 'torch'} & sys.modules.keys())}\n")


sys.meta_path[sys.meta_path.index(PathFinder)] = Without
sys.meta_path.insert(0, NoCourse())
atexit.register(tell)
