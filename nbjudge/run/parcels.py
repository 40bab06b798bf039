"""Jobs and judgements as bytes, to send to workers and back, and to keep in the ledger.

They are strictly checked msgpack: unpacking gives the types that were packed, or an error.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

import msgpack

from nbjudge.judge import Job, Judged, Limits


class BadParcel(ValueError):
    """The bytes are malformed; the message says where."""


def pack_job(job: Job) -> bytes:
    """A job as bytes, without the data files, which are sent to each worker once."""
    found = {field.name: getattr(job, field.name) for field in fields(job)}
    found["files"] = {}
    found["limits"] = asdict(job.limits)
    return msgpack.packb(found)


def unpack_job(parcel: bytes, files: dict[str, bytes]) -> Job:
    """The job, with these data files.

    Raises
    ------
    BadParcel
        If the bytes are not a job.
    """
    found = _unpacked(parcel)
    kinds = {"student": str, "notebook": bytes, "seed": int, "limits": dict, "files": dict}
    _check(found, kinds | {"enclosed": dict, "refused": dict})
    _check(found["enclosed"], dict.fromkeys(found["enclosed"], bytes), "enclosed: ")
    _check(found["refused"], dict.fromkeys(found["refused"], str), "refused: ")
    ours = {"limits": Limits(**found["limits"]), "files": files}
    return Job(**{**found, **ours})


def pack_judged(judged: Judged) -> bytes:
    """A judgement as bytes."""
    return msgpack.packb({field.name: getattr(judged, field.name) for field in fields(judged)})


def unpack_judged(parcel: bytes) -> Judged:
    """The judgement.

    Raises
    ------
    BadParcel
        If the bytes are not a judgement.
    """
    found = _unpacked(parcel)
    number = (int, float)
    kinds = {
        "notebook": bytes,
        "tests": dict,
        "flags": list,
        "seconds": number,
        "cpu_seconds": number,
        "peak_memory_mb": number,
        "sandbox": str,
        "held": list,
        "told": list,
    }
    _check(found, kinds)
    for name, test in found["tests"].items():
        _check(test, {"score": number, "max_score": number, "message": str}, f"test {name}: ")
        if not 0 <= test["score"] <= test["max_score"]:
            raise BadParcel(f"test {name}: score {test['score']} is out of range")
        measured = test.get("measured", {})
        _check(measured, dict.fromkeys(measured, number), f"test {name}: measured: ")
    if not all(isinstance(flag, str) for flag in found["flags"] + found["held"] + found["told"]):
        raise BadParcel("flags must be text")
    return Judged(**found)


def _unpacked(parcel: bytes) -> dict:
    try:
        found = msgpack.unpackb(parcel, strict_map_key=True)
    except Exception as error:
        raise BadParcel(f"cannot be unpacked: {type(error).__name__}") from None
    if not isinstance(found, dict):
        raise BadParcel("is not a mapping")
    return found


def _check(found: Any, kinds: dict[str, Any], where: str = "") -> None:
    if not isinstance(found, dict):
        raise BadParcel(f"{where}is not a mapping")
    for name, kind in kinds.items():
        value = found.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise BadParcel(f"{where}{name} is of type {type(value).__name__}")
