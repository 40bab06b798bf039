"""Jobs and judgements as bytes, to send to workers and back, and to keep in the ledger."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from msgspec import Raw

from nbjudge.inside.messages import Malformed, pack, unpack
from nbjudge.judge import Job, Judged

#: The format of both. A worker of another version of the judge may have another one.
FORMAT = 2

_Kind = TypeVar("_Kind", Job, Judged)


def pack_job(job: Job) -> bytes:
    """A job as bytes, without the data files, which are sent to each worker once."""
    return pack((FORMAT, replace(job, files={})))


def unpack_job(parcel: bytes, files: dict[str, bytes]) -> Job:
    """The job, with these data files.

    Raises
    ------
    Malformed
        If the bytes are not a job of this format.
    """
    return replace(_unpacked(parcel, Job), files=files)


def pack_judged(judged: Judged) -> bytes:
    """A judgement as bytes."""
    return pack((FORMAT, judged))


def unpack_judged(parcel: bytes) -> Judged:
    """The judgement.

    Raises
    ------
    Malformed
        If the bytes are not a judgement of this format.
    """
    judged = _unpacked(parcel, Judged)
    for name, test in judged.tests.items():
        if not 0 <= test.score <= test.max_score:
            raise Malformed(f"test {name}: score {test.score} is out of range")
    return judged


def _unpacked(parcel: bytes, kind: type[_Kind]) -> _Kind:
    written, content = unpack(parcel, tuple[int, Raw])
    if written != FORMAT:
        raise Malformed(
            f"it was written by another version of the judge (format {written}; this one reads "
            f"format {FORMAT}): install the same version on all machines"
        )
    return unpack(bytes(content), kind)
