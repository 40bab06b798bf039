"""Grammar: Linzen's sentences, Marvin and Linzen's pairs."""

from __future__ import annotations

import json

from tfcourse.arguments import one_of
from tfcourse.data.corpus import Card, Loader, register
from tfcourse.data.examples import Agreement, MinimalPair
from tfcourse.data.real.cards import hashes, lines, size_bytes
from tfcourse.data.real.files import need, read
from tfcourse.data.real.registry import FILES


def linzen(split: str) -> list[Agreement]:
    """Sentences from Wikipedia; without those that the file says something wrong of."""
    files = FILES["linzen"]
    need("linzen", files.values())
    rows = zip(lines(read(files["text"])), lines(read(files["gold"])), strict=True)
    found = []
    for text, gold in rows:
        place, right, wrong, attractors = gold.split("\t")
        words = tuple(text.removesuffix(" <eos>").split(" "))
        verb = int(place)
        if verb < len(words) and words[verb] == right != wrong:
            found.append(
                Agreement(words, verb, right, wrong, int(attractors), None, None, "Wikipedia")
            )
    return found


def marvin_linzen(split: str, *, test: str = "all", second: bool = False) -> list[MinimalPair]:
    """Pairs from templates, in the order of the constructions."""
    one_of((False, True), second=second)
    file = FILES["marvin-linzen"]["pairs"]
    need("marvin-linzen", [file])
    rows = [json.loads(line) for line in lines(read(file))]
    one_of(("all", *dict.fromkeys(row["test"] for row in rows)), test=test)
    bad = "bad2" if second else "bad"
    return [
        MinimalPair(row["good"], row[bad], f"{row['test']}/{row['condition']}")
        for row in rows
        if bad in row and test in ("all", row["test"])
    ]


register(
    Loader(
        Card(
            name="linzen",
            title="Linzen's agreement sentences",
            what=(
                "A sentence from Wikipedia whose verb agrees with its subject over up to four "
                "nouns of the other number; where the subject stands is not told. Eight of the "
                "7,489 are left out: the verbs of four do not stand where the file says, and of "
                "four it has but one form"
            ),
            kind="real",
            task="agreement",
            splits={"test": 7_481},
            size_bytes=size_bytes("linzen"),
            licence="CC BY-NC 4.0 for this selection; the sentences' own collection is under MIT",
            licence_url="https://creativecommons.org/licenses/by-nc/4.0/",
            citation=(
                "Linzen, Dupoux and Goldberg (2016), Assessing the Ability of LSTMs; selected by "
                "Gulordava, Bojanowski, Grave, Linzen and Baroni (2018)"
            ),
            homepage="https://github.com/facebookresearch/colorlessgreenRNNs",
            sha256=hashes("linzen"),
        ),
        linzen,
    )
)

register(
    Loader(
        Card(
            name="marvin-linzen",
            title="Marvin and Linzen's minimal pairs",
            what=(
                "A grammatical sentence and an ungrammatical one, from templates, in 22 "
                "constructions; a condition is 'construction/case'"
            ),
            kind="real",
            task="agreement",
            splits={"test": None},
            size_bytes=size_bytes("marvin-linzen"),
            licence="MIT",
            licence_url="https://github.com/BeckyMarvin/LM_syneval/blob/master/LICENSE.md",
            citation="Marvin and Linzen (2018), Targeted Syntactic Evaluation of Language Models",
            homepage=(
                "https://github.com/BeckyMarvin/LM_syneval, whose files are Python pickles, which "
                "can run code when they are opened: therefore only a JSON copy of them is read"
            ),
            sha256=hashes("marvin-linzen"),
            options={
                "test": "'all', or one construction, such as 'obj_rel_across_anim'",
                "second": (
                    "True: the second ungrammatical sentence instead of the first, for the 10,824 "
                    "pairs (negative polarity) that have one"
                ),
            },
        ),
        marvin_linzen,
    )
)
