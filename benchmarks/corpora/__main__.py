"""``python -m benchmarks.corpora``: write the shipped corpora and their licences."""

from __future__ import annotations

from pathlib import Path

from benchmarks.corpora import licences, parting, pictures, reading
from tfcourse.data import digits, docstrings
from tfcourse.files import write_whole


def main() -> None:
    """Write each file and say how large it is."""
    for package, version in docstrings.MADE_FROM.items():
        if (installed := reading.version(package)) != version:
            raise SystemExit(
                f"{package} {installed} is installed, and MADE_FROM in "
                f"tfcourse/data/docstrings.py says {version}: change one of the two"
            )
    course = Path(__file__).parents[2]
    for path, content in (
        (docstrings.PATH, parting.packed(parting.parted())),
        (digits.PATH, pictures.packed()),
        (course / licences.NAME, licences.text()),
    ):
        write_whole(path, content)
        print(f"{path.relative_to(course)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
