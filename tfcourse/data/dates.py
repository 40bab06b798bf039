"""Dates as written in many locales, each paired with the same date in another form.

The forms come from the Unicode CLDR through Babel. The test dates are never seen in training.
"""

from __future__ import annotations

import datetime

from tfcourse.arguments import one_of, several_of, whole
from tfcourse.data.draw import Draw
from tfcourse.data.embedded import embedded
from tfcourse.data.examples import Pair

#: The locales; ``"iso"`` is 2019-03-07.
LOCALES = (
    "cs", "da", "de", "en", "en_GB", "es", "fi", "fr", "hu", "it", "nl", "pl", "pt", "ru", "sv",
    "iso",
)  # fmt: skip

#: From all in digits to all in words: 3/7/19; Mar 7, 2019; March 7, 2019; Thursday, March 7, 2019.
FORMS = ("short", "medium", "long", "full")

#: A span in which the last two digits of a year identify it.
FIRST, LAST = datetime.date(1970, 1, 1), datetime.date(2029, 12, 31)

#: Maximum number of days for validation, and the same for test.
HELD_OUT = 2_000


def written(date: datetime.date, locale: str, form: str = "long") -> str:
    """A date as it is written in a locale.

    The CLDR's non-breaking spaces become plain ones. ``form`` has no effect for ``"iso"``. A locale
    or form that is not in :data:`LOCALES` or :data:`FORMS` raises ``ValueError``.
    """
    one_of(LOCALES, locale=locale)
    one_of(FORMS, form=form)
    if locale == "iso":
        return date.isoformat()
    from babel.dates import format_date  # only needed for dates

    text = format_date(date, form, locale=locale)
    return text.replace("\u202f", " ").replace("\u00a0", " ")


def _days(split: str, examples: int, seed: int) -> list[datetime.date]:
    """The days of a split, in random order: each in only one split, whatever the options."""
    draw = Draw(f"dates {seed}")
    days = draw.shuffled(range((LAST - FIRST).days + 1))
    parts = {
        "validation": days[:HELD_OUT],
        "test": days[HELD_OUT : 2 * HELD_OUT],
        "train": days[2 * HELD_OUT :],
    }
    return [FIRST + datetime.timedelta(days=day) for day in parts[split][:examples]]


@embedded("dates")
def _make(
    split: str,
    *,
    source: str = "en",
    target: str = "iso",
    forms: tuple[str, ...] = ("medium", "long", "full"),
    target_form: str = "long",
    examples: int = 10_000,
    held_out: int = 1_000,
    seed: int = 0,
) -> list[Pair]:
    one_of(LOCALES, source=source, target=target)
    several_of(FORMS, forms=forms)
    one_of(FORMS, target_form=target_form)
    whole(1, (LAST - FIRST).days + 1 - 2 * HELD_OUT, examples=examples)
    whole(1, HELD_OUT, held_out=held_out)
    whole(0, seed=seed)
    draw = Draw(f"dates' forms {seed} {split}")
    days = _days(split, examples if split == "train" else held_out, seed)
    return [
        Pair(written(day, source, draw.pick(tuple(forms))), written(day, target, target_form))
        for day in days
    ]
