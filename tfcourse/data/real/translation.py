"""Translation: Multi30k."""

from __future__ import annotations

from tfcourse.arguments import one_of
from tfcourse.data.corpus import Card, Loader, register
from tfcourse.data.examples import Pair
from tfcourse.data.real.cards import hashes, lines, size_bytes
from tfcourse.data.real.files import need, read
from tfcourse.data.real.registry import FILES

LANGUAGES = ("de", "en", "fr")
FORMS = ("raw", "tokenised")


def multi30k(
    split: str, *, source: str = "de", target: str = "en", form: str = "raw"
) -> list[Pair]:
    """A split's sentences in two languages."""
    files = FILES["multi30k"]
    one_of(FORMS, form=form)
    one_of(LANGUAGES, source=source, target=target)
    for language in (source, target):
        if f"{form} {split} {language}" not in files:
            there = [key.removeprefix(form + " ") for key in files if key.startswith(form)]
            raise ValueError(
                f"form={form!r} must be asked for one of {there}, got '{split} {language}'"
            )
    if source == target:
        raise ValueError(f"target must be another language than source, got {target!r} for both")
    two = [files[f"{form} {split} {language}"] for language in (source, target)]
    need("multi30k", two)
    return [Pair(*both) for both in zip(*(lines(read(file)) for file in two), strict=True)]


register(
    Loader(
        Card(
            name="multi30k",
            title="Multi30k",
            what="A sentence that describes a photograph, and its translation",
            kind="real",
            task="translation",
            splits={
                "train": 29_000,
                "validation": 1_014,
                "test2016": 1_000,
                "test2017": 1_000,
                "test2017-mscoco": 461,
            },
            size_bytes=size_bytes("multi30k"),
            licence=(
                "None stated for the sentences; the images they describe are for non-commercial "
                "research and education"
            ),
            licence_url="https://github.com/multi30k/dataset#use-of-the-data",
            citation=(
                "Elliott, Frank, Sima'an and Specia (2016), Multi30K; French and the tests of "
                "2017: Elliott, Frank, Barrault, Bougares and Specia (2017)"
            ),
            homepage="https://github.com/multi30k/dataset",
            sha256=hashes("multi30k"),
            options={
                "source": "the source's language: 'de', 'en' or 'fr'",
                "target": "the target's language: 'de', 'en' or 'fr'",
                "form": (
                    "'raw': as written; 'tokenised': lower case, punctuation normalised and apart, "
                    "by Moses' scripts: en and de, up to test2016"
                ),
            },
        ),
        multi30k,
    )
)
