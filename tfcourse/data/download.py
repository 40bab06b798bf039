"""Downloading one file, whole and right or not at all; pooch does the work.

The bytes go into a file beside the place. It gets the name in one step, after its hash was found
right: whoever finds the file finds the right one, at whatever moment a process was killed.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from tfcourse.files import digest_of

#: Called with the bytes that are there and the bytes of the whole file.
Progress = Callable[[int, int], None]

_HASH = re.compile("md5:[0-9a-f]{32}|sha1:[0-9a-f]{40}|sha256:[0-9a-f]{64}")
_FULL = {errno.ENOSPC, errno.EDQUOT}


class DownloadError(OSError):
    """A file could not be downloaded; the message says why and how to place it by hand."""


def matches(path: Path, known: str) -> bool:
    """Whether a file's bytes have the hash ``known``, such as ``"sha256:86c4e6..."``."""
    return digest_of(path, algorithm(known)) == known.partition(":")[2]


def algorithm(known: str) -> str:
    """The algorithm of a hash such as ``"sha256:86c4e6..."``; a ``ValueError`` if it is none."""
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
    """Download a file to the path ``into``, unless it is there and right.

    If no address gave the file (no network, no such page, another file, a full disk) it raises
    :class:`DownloadError`.

    Parameters
    ----------
    urls:
        Where the file can be downloaded; if one address fails the next is tried.
    known, size:
        Its hash, ``"sha256:..."`` (``"sha1:..."`` or ``"md5:..."`` if no better one is published),
        and its bytes.
    progress:
        Called now and then with the bytes that are there and ``size``.
    retries, timeout:
        How many more times an address is tried, after pauses of one second, two seconds and so on;
        seconds without a byte after which an attempt has failed.
    """
    import pooch

    algorithm(known)
    if isinstance(urls, str) or not urls:
        raise ValueError(f"urls must be a list of at least one address, got {urls!r}")
    pooch.get_logger().setLevel("CRITICAL")  # the caller says what is to be said
    failed: list[tuple[str, Exception]] = []
    for url in urls:
        source = pooch.create(
            path=into.parent,
            base_url="",
            registry={into.name: known},
            urls={into.name: url},
            retry_if_failed=retries,
        )
        # Unpacked on the way, the bytes would have another hash.
        headers = {"Accept-Encoding": "identity", "User-Agent": "tfcourse"}
        bar = _Bar(progress, size) if progress else False
        get = pooch.HTTPDownloader(bar, 1 << 16, headers=headers, timeout=timeout)
        try:
            source.fetch(into.name, downloader=get)
            into.chmod(0o644)  # others may use the folder too; pooch's file is its owner's alone
            return into
        except OSError as error:
            if error.errno in _FULL:
                raise DownloadError(
                    f"{into.name} was not downloaded: the disk is full. {into.parent} needs "
                    f"{size:,} bytes for it; nothing of it was left there."
                ) from None
            failed.append((url, error))
        except ValueError as error:  # another file
            failed.append((url, error))
    reasons = "\n".join(f"  {url}\n    {error}" for url, error in failed)
    raise DownloadError(
        f"{into.name} was not downloaded:\n{reasons}\n"
        f"By hand: download it on a machine that can, and put it, unchanged, at\n  {into}\n"
        f"  ({size:,} bytes, {known.replace(':', ' ')})"
    )


class _Bar:
    """What pooch calls while bytes come in: it tells ``progress`` how many there are."""

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
        """Nothing is open."""
