"""Real corpora: files that are there, in the folder that `TFCOURSE_DATA` names, or are downloaded.

:func:`tfcourse.data.load` never downloads anything: where a file is not here it says under which
licence it stands and how to get it, which is :func:`get`.
"""

from tfcourse.data.real import (  # noqa: F401  (each registers its corpora)
    agreement,
    images,
    sentiment,
    text,
    translation,
    words,
)
from tfcourse.data.real.files import NotHere, RealFile, cache, folders, get, missing, state, terms

__all__ = ["NotHere", "RealFile", "cache", "folders", "get", "missing", "state", "terms"]
