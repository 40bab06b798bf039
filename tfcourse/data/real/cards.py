"""What a card says of a corpus' files, from the one list of them."""

from __future__ import annotations

from tfcourse.data.real.registry import FILES


def size_bytes(name: str) -> int:
    """The bytes to download; of a corpus that can only be placed by hand, its files' bytes."""
    files = FILES[name].values()
    return sum(file.size for file in files if file.urls) or sum(file.size for file in files)


def hashes(name: str) -> dict[str, str]:
    """Each file's sha256; with the algorithm's name before it where only a weaker one is known."""
    return {file.path: file.known.removeprefix("sha256:") for file in FILES[name].values()}


def lines(content: bytes, encoding: str = "utf-8") -> list[str]:
    r"""The lines of a text file, whatever ends them: ``\n`` or ``\r\n``, and nothing else.

    Unlike ``str.splitlines``, which breaks at a dozen other characters too.
    """
    text = content.decode(encoding).replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n")
