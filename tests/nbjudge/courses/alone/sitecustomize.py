"""A machine with the judge and no course, for the processes of a test: put this on ``PYTHONPATH``.

The course's packages cannot be imported, and nothing says that they are installed. At its end each
process adds to the file ``LOADED`` which of PyTorch and NumPy it has loaded.
"""

import atexit
import importlib.metadata
import os
import sys

COURSE = {"tfcourse", "coursebook", "nbjudge_tfcourse"}


class NoCourse:
    """An import finder that comes first, and has no course."""

    def find_spec(self, name, path=None, target=None):
        """Refuse the course's packages."""
        if name.partition(".")[0] in COURSE:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def installed(**asked):
    """The distributions that are installed, without the course's."""
    return (found for found in discover(**asked) if found.name not in COURSE)


def tell():
    """Add to the file what was loaded."""
    with open(os.environ["LOADED"], "a") as file:
        file.write(f"{' '.join({'numpy', 'torch'} & sys.modules.keys())}\n")


discover = importlib.metadata.Distribution.discover
importlib.metadata.Distribution.discover = installed
sys.meta_path.insert(0, NoCourse())
atexit.register(tell)
