"""The handwritten digits of scikit-learn as a file."""

from __future__ import annotations

import io

import numpy as np


def packed() -> bytes:
    """The file's bytes, as uint8: ``pixels`` ``(1797, 8, 8)`` from 0 to 16, ``labels`` ``(1797,)``.

    Raises
    ------
    ModuleNotFoundError
        If scikit-learn is not installed.
    """
    from sklearn.datasets import load_digits

    found = load_digits()
    file = io.BytesIO()
    arrays = {"pixels": found.images, "labels": found.target}
    np.savez_compressed(file, **{name: a.astype(np.uint8) for name, a in arrays.items()})
    return file.getvalue()
