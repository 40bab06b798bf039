"""Download one file, complete and verified or not at all; pooch does the work.

The bytes go to a temporary file in the same folder, which is renamed in one step once its hash has
been checked. So a file under its final name is always correct, whenever a process was killed.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from tfcourse.files import digest_of

#: Called with the number of bytes so far and of the whole file.
Progress = Callable[[int, int], None]

_HASH = re.compile("md5:[0-9a-f]{32}|sha1:[0-9a-f]{40}|sha256:[0-9a-f]{64}")
_FULL = {errno.ENOSPC, errno.EDQUOT}


class DownloadError(OSError):
    """A file could not be downloaded; the message says why and how to place it by hand."""


def matches(path: Path, known: str) -> bool:
    """Whether a file's bytes have the hash ``known``, such as ``"sha256:86c4e6..."``."""
    return digest_of(path, algorithm(known)) == known.partition(":")[2]


def algorithm(known: str) -> str:
    """The algorithm of a hash such as ``"sha256:86c4e6..."``; raises ``ValueError`` for others."""
    if not _HASH.fullmatch(known):
        raise ValueError(
            f"known must be a hash such as 'sha256:' and 64 hexadecimal digits, got {known!r}"
        )
    return known.partition(":")[0]


def fetch(
    urls: Sequence[str],
    into: Path,
    *,
    known: str,
    size: int,
    progress: Progress | None = None,
    retries: int = 3,
    timeout: float = 30.0,
) -> Path:
    """Download a file to the path ``into``, unless it is already there and correct.

    If no address delivers the file (no network, no such page, the wrong file, a full disk), raises
    :class:`DownloadError`.

    Parameters
    ----------
    urls:
        Where the file can be downloaded; if one address fails the next is tried.
    known, size:
        Its hash, ``"sha256:..."`` (``"sha1:..."`` or ``"md5:..."`` if no better one is published),
        and its size in bytes.
    progress:
        Called from time to time with the number of bytes so far and ``size``.
    retries, timeout:
        How often an address is retried, after pauses of one second, two seconds and so on; seconds
        without data after which an attempt has failed.
    """
    import pooch

    algorithm(known)
    if isinstance(urls, str) or not urls:
        raise ValueError(f"urls must be a list of at least one address, got {urls!r}")
    pooch.get_logger().setLevel("CRITICAL")  # reporting is up to the caller
    failed: list[tuple[str, Exception]] = []
    for url in urls:
        source = pooch.create(
            path=into.parent,
            base_url="",
            registry={into.name: known},
            urls={into.name: url},
            retry_if_failed=retries,
        )
        # Decompressed in transit, the bytes would have another hash.
        headers = {"Accept-Encoding": "identity", "User-Agent": "tfcourse"}
        bar = _Bar(progress, size) if progress else False
        get = pooch.HTTPDownloader(bar, 1 << 16, headers=headers, timeout=timeout)
        try:
            source.fetch(into.name, downloader=get)
            into.chmod(0o644)  # others may share the folder; only the owner can read pooch's file
            return into
        except OSError as error:
            if error.errno in _FULL:
                raise DownloadError(
                    f"{into.name} was not downloaded: the disk is full. {into.parent} needs "
                    f"{size:,} bytes for it; no part of it was left there."
                ) from None
            failed.append((url, error))
        except ValueError as error:  # the wrong file
            failed.append((url, error))
    reasons = "\n".join(f"  {url}\n    {error}" for url, error in failed)
    raise DownloadError(
        f"{into.name} was not downloaded:\n{reasons}\n"
        f"By hand: download it on a machine that can, and put it, unchanged, at\n  {into}\n"
        f"  ({size:,} bytes, {known.replace(':', ' ')})"
    )


class _Bar:
    """Progress bar for pooch that passes the number of bytes so far to ``progress``."""

    def __init__(self, progress: Progress, size: int) -> None:
        self.progress = progress
        self.size = size
        self.total = 0
        self.done = 0

    def update(self, count: int) -> None:
        self.done = min(self.done + count, self.size)
        self.progress(self.done, self.size)

    def reset(self) -> None:
        self.done = 0

    def close(self) -> None:
        """Nothing to close."""
