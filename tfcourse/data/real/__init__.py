"""Real corpora: files in the folder that `TFCOURSE_DATA` names, or downloaded.

:func:`tfcourse.data.load` never downloads anything: if a file is missing, it shows the licence and
says how to get the file with :func:`get`.
"""

from tfcourse.data.real import images, texts  # noqa: F401  (each registers its corpora)
from tfcourse.data.real.files import NotHere, cache, folders, get, missing, state, terms
from tfcourse.data.real.registry import RealFile

__all__ = ["NotHere", "RealFile", "cache", "folders", "get", "missing", "state", "terms"]
