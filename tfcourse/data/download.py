"""Downloading one file whole or not at all: resumed when cut off, checked before it gets its name.

The bytes go into ``NAME.part`` beside the file's place. Only when the file is complete, its hash
right and its bytes on the disk does it get its name, in one step. So whoever finds the file finds
the right one, at whatever moment a process was killed.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tfcourse.files import digest_of, sync_folder

#: Called with the bytes that are there and the bytes of the whole file.
Progress = Callable[[int, int], None]

_CHUNK = 1 << 16
#: Answers that another attempt may change: too slow, too many requests, the server's own faults.
_PASSING = {408, 425, 429, 500, 502, 503, 504}
_FULL = {errno.ENOSPC, errno.EDQUOT}
_LENGTHS = {"md5": 32, "sha1": 40, "sha256": 64}


class DownloadError(OSError):
    """A file could not be downloaded; the message says why and how to place it by hand."""


class ChecksumError(DownloadError):
    """What an address gave is not the file that was asked for."""


class _Again(Exception):
    """The attempt failed in a way that may pass; ``wait``: the seconds that the server asks for."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


def matches(path: Path, known: str) -> bool:
    """Whether a file's bytes have the hash ``known``, such as ``"sha256:86c4e6..."``."""
    return digest_of(path, _algorithm(known)) == known.partition(":")[2]


def fetch(
    urls: Sequence[str],
    into: Path,
    *,
    known: str,
    size: int,
    progress: Progress | None = None,
    attempts: int = 4,
    pause: float = 1.0,
    timeout: float = 30.0,
) -> Path:
    """Download a file, unless it is there and right.

    Of two processes that ask for the same file one downloads and the other waits. What a process
    that was cut off or killed has left in ``NAME.part`` is gone on with.

    Parameters
    ----------
    urls:
        Where the file is to be had; the next one is tried where one fails.
    into:
        The path that the file gets, its name included.
    known:
        Its hash: ``"sha256:..."``, or ``"sha1:..."`` or ``"md5:..."`` where no better one is
        published.
    size:
        Its bytes; an address that gives more is not listened to any longer.
    progress:
        Called now and then with the bytes that are there and ``size``.
    attempts:
        How often in a row an address may fail without giving a byte that is new.
    pause:
        Seconds before the second attempt; they double each time.
    timeout:
        Seconds without a byte after which an attempt has failed.

    Returns
    -------
    path
        ``into``, whose hash is right.

    Raises
    ------
    DownloadError
        Where no address gave the file: no network, no such page, a full disk.
    ChecksumError
        Where the last address gave another file.
    ValueError
        Where ``known`` is no hash or ``urls`` is empty.
    """
    import filelock

    _algorithm(known)
    if isinstance(urls, str) or not urls:
        raise ValueError(f"urls must be a list of at least one address, got {urls!r}")
    into = Path(into)
    part = into.with_name(into.name + ".part")
    try:
        into.parent.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(into.with_name(into.name + ".lock")):
            if into.is_file() and matches(into, known):
                return into
            failed: list[tuple[str, DownloadError]] = []
            for url in urls:
                try:
                    attempt = _Transfer(url, part, size, progress, attempts, pause, timeout)
                    _checked(attempt, known)
                except DownloadError as error:
                    failed.append((url, error))
                    continue
                os.replace(part, into)
                sync_folder(into.parent)
                return into
    except OSError as error:
        if error.errno in _FULL:
            part.unlink(missing_ok=True)
            raise DownloadError(
                f"{into.name} was not downloaded: the disk is full. {into.parent} needs "
                f"{size:,} bytes for it; nothing of it was left there."
            ) from None
        raise DownloadError(
            f"{into.name} was not downloaded: {error.filename or into.parent} cannot be written "
            f"({error.strerror or error})"
        ) from error
    kind = type(failed[-1][1])
    reasons = "\n".join(f"  {url}\n    {error}" for url, error in failed)
    raise kind(
        f"{into.name} was not downloaded:\n{reasons}\n"
        f"By hand: get it on a machine that can, and put it, unchanged, at\n  {into}\n"
        f"  ({size:,} bytes, {known.replace(':', ' ')})"
    )


class _Transfer:
    """One address' bytes on their way into the file beside the place."""

    def __init__(
        self,
        url: str,
        part: Path,
        size: int,
        progress: Progress | None,
        attempts: int,
        pause: float,
        timeout: float,
    ) -> None:
        self.url = url
        self.part = part
        self.size = size
        self.progress = progress or (lambda done, size: None)
        self.attempts = attempts
        self.pause = pause
        self.timeout = timeout
        #: Whether what lies there came in several answers, which may be of different versions.
        self.joined = self.there() > 0

    def there(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def run(self) -> None:
        """Until ``size`` bytes are there, or an error says why not."""
        best, failures = self.there(), 0
        while self.there() != self.size:
            try:
                self._answer()
            except _Again as reason:
                failures = 0 if self.there() > best else failures + 1
                best = max(best, self.there())
                if failures >= self.attempts:
                    raise DownloadError(f"{reason} (attempts: {failures})") from None
                time.sleep(
                    self.pause * 2 ** max(failures - 1, 0) if reason.wait is None else reason.wait
                )

    def _answer(self) -> None:
        """One request and what it gives; bytes that lie there already are not asked for again."""
        import requests
        import urllib3

        start = self.there()
        if start > self.size:
            self.part.unlink()
            start = 0
        elif not start:
            self.joined = False
        _room(self.part.parent, self.size - start)
        # Unpacked on the way, the bytes would have another hash and other places.
        headers = {"Accept-Encoding": "identity", "User-Agent": "tfcourse"}
        if start:
            headers["Range"] = f"bytes={start}-"
        try:
            with requests.get(self.url, headers=headers, stream=True, timeout=self.timeout) as got:
                self._judge(got.status_code, got.reason, got.headers, start)
                goes_on = got.status_code == 206
                self.joined |= goes_on
                self._write(got.raw, start if goes_on else 0)
        except (requests.ConnectionError, requests.Timeout, urllib3.exceptions.HTTPError) as error:
            raise _Again(_cause(error)) from None
        except requests.RequestException as error:
            raise DownloadError(str(error)) from None

    def _judge(self, status: int, reason: str, headers, start: int) -> None:
        """Whether the answer holds bytes that can be used."""
        if status in _PASSING:
            raise _Again(f"the server says {status} {reason}", _retry_after(headers))
        if status == 416:
            self.part.unlink(missing_ok=True)
            raise _Again("the server has fewer bytes than lay here already")
        if status not in (200, 206):
            raise DownloadError(f"the server says {status} {reason}")
        begins = re.match(r"bytes (\d+)-", headers.get("Content-Range", ""))
        if status == 206 and (not start or not begins or int(begins[1]) != start):
            self.part.unlink(missing_ok=True)
            raise _Again(f"the server gives another part than was asked for (from byte {start})")

    def _write(self, raw, start: int) -> None:
        done = start
        with self.part.open("ab" if start else "wb") as file:
            try:
                for chunk in raw.stream(_CHUNK, decode_content=False):
                    done += len(chunk)
                    if done > self.size:
                        break
                    file.write(chunk)
                    self.progress(done, self.size)
            finally:
                file.flush()
                os.fsync(file.fileno())
        if done > self.size:
            self.part.unlink()
            raise ChecksumError(f"it gives more than the {self.size:,} bytes that the file has")
        if done < self.size:
            raise _Again(f"the answer ended after {done:,} of {self.size:,} bytes")


def _checked(transfer: _Transfer, known: str) -> None:
    """Transfer, and compare the hash; what was joined of several answers gets a second chance."""
    transfer.run()
    got = digest_of(transfer.part, _algorithm(known))
    if got != known.partition(":")[2] and transfer.joined:
        transfer.part.unlink()
        transfer.run()
        got = digest_of(transfer.part, _algorithm(known))
    if got != known.partition(":")[2]:
        transfer.part.unlink()
        raise ChecksumError(
            f"it gives another file: expected {known.replace(':', ' ')}, got {got}; thrown away"
        )


def _algorithm(known: str) -> str:
    algorithm, _, value = known.partition(":")
    if algorithm not in _LENGTHS or not re.fullmatch(
        f"[0-9a-f]{{{_LENGTHS.get(algorithm)}}}", value
    ):
        raise ValueError(
            f"known must be a hash such as 'sha256:' and 64 hexadecimal digits, got {known!r}"
        )
    return algorithm


def _room(folder: Path, needed: int) -> None:
    """Refuse before the first byte what cannot fit."""
    if shutil.disk_usage(folder).free < needed:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))


def _retry_after(headers) -> float | None:
    """The seconds that a server asks to be left alone, half a minute at most."""
    value = headers.get("Retry-After", "")
    return min(float(value), 30.0) if value.isdigit() else None


def _cause(error: BaseException) -> str:
    """What lies at the bottom of the exceptions that wrap one another."""
    import urllib3

    while True:
        inner = getattr(error, "reason", None) or (error.args[0] if error.args else None)
        if isinstance(error, urllib3.exceptions.NameResolutionError) or not isinstance(
            inner, BaseException
        ):
            break
        error = inner
    if isinstance(error, urllib3.exceptions.NameResolutionError):
        return "its name is not known here: is there a network?"
    refused = urllib3.exceptions.NewConnectionError  # which counts as a timeout in urllib3
    if isinstance(error, urllib3.exceptions.TimeoutError) and not isinstance(error, refused):
        return "no answer in time"
    return f"the connection failed: {error}"
