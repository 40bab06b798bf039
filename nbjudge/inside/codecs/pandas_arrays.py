"""Arrays of pandas' own types in a message, and the time zones of times.

After the tag ``"pE"`` they are written as::

    ["text", storage, missing, lengths, characters]   ["masked", values, mask]
    ["categories", categories, codes, ordered]        ["times", times, zone]
    ["periods", numbers, frequency]                   ["intervals", left, right, closed]
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray

from nbjudge.inside.codecs import MAX_NAME, Inner, WireError, parts
from nbjudge.inside.codecs.numpy_values import joined, split

#: The frequency of an index or of periods, such as ``2D`` or ``W-SUN``.
FREQUENCY = re.compile(r"[0-9A-Za-z-]{1,16}")

#: Where the texts of an array may be stored, and what may stand for those that are missing.
STORAGES, MISSING = ("python", "pyarrow"), {"NaN": np.nan, "NA": pd.NA}

MASKED: dict[str, Any] = {"b": pd.arrays.BooleanArray, "f": pd.arrays.FloatingArray}
MASKED |= dict.fromkeys("iu", pd.arrays.IntegerArray)
_MASKED: Any = tuple(MASKED.values())


# -- writing ---------------------------------------------------------------------------------------


def write(value: ExtensionArray, inner: Inner) -> list:
    """The tree for an array of a type that NumPy does not have."""
    dtype = value.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = np.asarray(value.codes, dtype=np.int64)
        return ["pE", "categories", inner(dtype.categories), inner(codes), bool(dtype.ordered)]
    if isinstance(dtype, pd.StringDtype):
        missing = "NA" if dtype.na_value is pd.NA else "NaN"
        texts = value.to_numpy(dtype=object, na_value=None).tolist()
        return ["pE", "text", dtype.storage, missing, *map(inner, joined(texts))]
    if isinstance(value, _MASKED):
        values = value.to_numpy(dtype=dtype.numpy_dtype, na_value=dtype.numpy_dtype.type(0))
        return ["pE", "masked", inner(values), inner(np.asarray(value.isna()))]
    if isinstance(dtype, pd.DatetimeTZDtype):
        plain = value.tz_convert("UTC").tz_localize(None).to_numpy()
        return ["pE", "times", inner(plain), zone_name(dtype.tz)]
    if isinstance(dtype, pd.PeriodDtype):
        return ["pE", "periods", inner(value.astype("int64")), pd.PeriodIndex(value).freqstr]
    if isinstance(dtype, pd.IntervalDtype):
        return ["pE", "intervals", inner(value.left), inner(value.right), dtype.closed]
    raise WireError(f"an array of {dtype}")


def zone_name(zone: tzinfo | None) -> str | int | None:
    """A time zone's name, or its offset from UTC in seconds if that is all there is."""
    if zone is None:
        return None
    if isinstance(zone, timezone):
        return int(zone.utcoffset(None).total_seconds())
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)
    if type(name) is not str:
        raise WireError(f"a time zone {str(zone)[:40]}")
    return name


# -- reading ---------------------------------------------------------------------------------------


def read(rest: list, inner: Inner) -> Any:
    """The array."""
    if not rest or type(rest[0]) is not str or rest[0] not in _READS:
        raise WireError("an array of an unknown type")
    return _READS[rest[0]](rest[1:], inner)


def zone(name: Any) -> tzinfo:
    """The time zone of this name, which Python looks up in its own database, or of this offset."""
    if type(name) is int and abs(name) < 86400:
        return timezone(timedelta(seconds=name))
    if type(name) is not str or len(name) > MAX_NAME:
        raise WireError("not a time zone")
    return ZoneInfo(name)  # it refuses paths out of the database


def side(closed: str) -> str:
    """On which sides intervals are closed."""
    if closed not in ("left", "right", "both", "neither"):
        raise WireError("not intervals")
    return closed


def periods(numbers: Any, frequency: str) -> pd.PeriodIndex:
    """Periods by their numbers since 1970."""
    if not FREQUENCY.fullmatch(frequency) or not _is(numbers, "i"):
        raise WireError("not periods")
    return pd.PeriodIndex.from_ordinals(numbers.astype(np.int64), freq=frequency)


def _is(value: Any, dtype_kinds: str) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in dtype_kinds


def _categories(rest: list, inner: Inner) -> Any:
    categories, codes, ordered = parts(rest, list, list, bool)
    of, numbers = inner(categories), inner(codes)
    if not isinstance(of, pd.Index) or not _is(numbers, "i"):
        raise WireError("not categories")
    return pd.Categorical.from_codes(numbers, dtype=pd.CategoricalDtype(of, ordered))


def _text(rest: list, inner: Inner) -> Any:
    storage, missing, sizes, held = parts(rest, str, str, list, list)
    if storage not in STORAGES or missing not in MISSING:
        raise WireError("texts of an unknown type")
    dtype = pd.StringDtype(storage=storage, na_value=MISSING[missing])
    return pd.array(split(inner(sizes), inner(held)), dtype=dtype)


def _masked(rest: list, inner: Inner) -> Any:
    values, mask = map(inner, parts(rest, list, list))
    if not _is(values, "".join(MASKED)) or not _is(mask, "b"):
        raise WireError("not numbers with a mask")
    return MASKED[values.dtype.kind](values, mask)


def _times(rest: list, inner: Inner) -> Any:
    tree, name = parts(rest, list, object)
    times = inner(tree)
    if not _is(times, "M"):
        raise WireError("not times")
    return pd.DatetimeIndex(times).tz_localize("UTC").tz_convert(zone(name)).array


def _periods(rest: list, inner: Inner) -> Any:
    tree, frequency = parts(rest, list, str)
    return periods(inner(tree), frequency).array


def _intervals(rest: list, inner: Inner) -> Any:
    left, right, closed = parts(rest, list, list, str)
    ends = inner(left), inner(right)
    if not all(isinstance(end, pd.Index) for end in ends):
        raise WireError("not intervals")
    return pd.arrays.IntervalArray.from_arrays(*ends, closed=side(closed))


_READS: dict[str, Callable[[list, Inner], Any]] = {
    "categories": _categories,
    "text": _text,
    "masked": _masked,
    "times": _times,
    "periods": _periods,
    "intervals": _intervals,
}
