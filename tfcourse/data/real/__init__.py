"""Real corpora: files that are there, in the folder that `TFCOURSE_DATA` names, or are downloaded.

:func:`tfcourse.data.load` never downloads anything: if a file is not here it shows the licence and
says how to get the file, which is :func:`get`.
"""

from tfcourse.data.real import images, texts  # noqa: F401  (each registers its corpora)
from tfcourse.data.real.files import NotHere, cache, folders, get, missing, state, terms
from tfcourse.data.real.registry import RealFile

__all__ = ["NotHere", "RealFile", "cache", "folders", "get", "missing", "state", "terms"]
