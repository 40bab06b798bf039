"""What weighs when answers are compared, and what does not."""

import random
from functools import cache

import pytest
from lookalikes import MODEL, OBVIOUS, program, words

from nbjudge.likeness.compare import LEAST_WEIGHT, Base, ComparedAnswer, compare, rarity, segments


def answers_of(texts, code=True):
    return [ComparedAnswer(name, text, code) for name, text in texts.items()]


def compared(texts, code=True, given=(), own=()):
    answers = answers_of(texts, code)
    base = Base(answers)
    base.give((text, code) for text in given)
    for name, text in own:
        base.add(name, [(text, code)])
    return compare(answers, base)


def klass(number=60, code=True):
    """Programs or texts of learners who have nothing to do with each other."""
    rngs = {f"s{n:02}": random.Random(n) for n in range(number)}
    return {name: program(rng, "f") if code else words(rng) for name, rng in rngs.items()}


@cache
def chance(code):
    """The most that two learners who have nothing to do with each other weigh."""
    return compared(klass(code=code), code).pairs[0].weight if code else LEAST_WEIGHT


def heavy(comparison, code=True):
    """The pairs that weigh more than twice as much as any by chance, heaviest first."""
    return [
        (pair.one.name, pair.other.name)
        for pair in comparison.pairs
        if pair.weight > 2 * chance(code)
    ]


def weighty(texts):
    """The pairs of whom one has the obvious answer that weigh anything worth a look."""
    comparison = compared(texts)
    return [
        (pair.one.name, pair.other.name)
        for pair in comparison.pairs
        if pair.weight >= LEAST_WEIGHT
        and OBVIOUS.format(name="f") in (pair.one.text, pair.other.text)
    ]


def test_two_of_sixty_weigh_and_forty_do_not():
    assert rarity(2, 60) == 1 and rarity(40, 60) == 0
    falling = [rarity(learners, 60) for learners in range(2, 21)]
    assert falling == sorted(set(falling), reverse=True) and falling[-1] == 0 < falling[-2]
    assert rarity(1, 60) == 0, "what only one has is nobody else's"
    assert rarity(2, 2) == 1, "two alone can be alike"
    assert rarity(20, 300) == rarity(20, 3000) == 0

    obvious, few = OBVIOUS.format(name="f"), ("s03", "s07")
    (pair,) = weighty(klass() | dict.fromkeys(few, obvious))
    assert pair == few
    assert weighty(klass() | {f"s{n:02}": obvious for n in range(40)}) == []


def test_people_who_have_nothing_in_common_are_alike_by_chance_alone():
    assert compared(klass(code=False), code=False).pairs == []
    texts = klass()
    assert heavy(compared(texts)) == []
    texts["s07"] = texts["s03"]
    assert heavy(compared(texts)) == [("s03", "s07")]


def renamed(source):
    for old, new in (("alpha", "q1"), ("beta", "q2"), ("gamma", "q3"), ("total", "q4")):
        source = source.replace(old, new)
    return source.replace("values", "data").replace("limit", "bound").replace("def f", "def g")


def reordered(source):
    helper = program(random.Random(99), "helper")
    return f"{helper}\n\n\n{source}", f"# mine\n{source}\n\n\n{helper}"


def test_new_names_and_another_order_change_nothing():
    texts = klass()
    first, second = reordered(texts["s03"])
    texts["s03"], texts["s07"] = first, renamed(second)
    comparison = compared(texts)
    pair = comparison.pairs[0]
    assert (pair.one.student, pair.other.student) == ("s03", "s07")
    assert pair.alike.form > 0.85 > 0.5 > pair.alike.as_written


def test_one_line_more_changes_little():
    texts = klass()
    texts["s07"] = "unused = 1\n" + texts["s03"] + "\nunused = 1\n"
    pair = compared(texts).pairs[0]
    assert (pair.one.student, pair.other.student) == ("s03", "s07")
    assert pair.alike.as_written > 0.85


def test_words_are_compared_too():
    texts = klass(code=False)
    texts["s07"] = "At first, I think: " + texts["s03"].upper() + " That is all."
    pair = compared(texts, code=False).pairs[0]
    assert (pair.one.student, pair.other.student) == ("s03", "s07")
    assert pair.alike.form > 0.85 and pair.alike.as_written is None


def test_what_is_no_python_is_compared():
    texts = klass()
    texts["s03"] += "\n    return ((("
    texts["s07"] = texts["s03"].replace("values", "data") + "\n  def (:"
    assert heavy(compared(texts)) == [("s03", "s07")]


def test_the_models_solution_is_shown_as_the_courses_own():
    texts, model = klass(), MODEL.format(name="f")
    texts |= {"s03": model, "s07": model, "s09": renamed(model).replace("value", "z")}
    comparison = compared(
        texts, own=[("a file", program(random.Random(98), "f")), ("model", model)]
    )
    assert heavy(comparison) == [], "it never counts as taken from a neighbour"
    own = {answer.student: alike for answer, alike in comparison.own.items()}
    assert (own["s03"].form, own["s03"].as_written, own["s03"].source) == (1, 1, "model")
    assert own["s09"].form > 0.85 > 0.5 > own["s09"].as_written and own["s09"].source == "model"
    assert own["s05"].form < 0.6

    theirs = renamed(model).replace("value", "z") + "  # as I always do it"
    texts |= {"s09": theirs, "s11": theirs}
    pair = compared(texts, own=[("model", model)]).pairs[0]
    assert (pair.one.name, pair.other.name) == ("s09", "s11"), "the same names are nobody else's"


def test_what_everybody_was_given_is_nobodys():
    texts, stub = klass(), program(random.Random(97), "f")
    texts |= {name: f"{stub}\n{texts[name]}" for name in ("s03", "s07")}
    assert heavy(compared(texts)) == [("s03", "s07")]
    comparison = compared(texts, given=[stub], own=[("model", stub)])
    assert heavy(comparison) == []
    (answer,) = (answer for answer in comparison.answers if answer.student == "s03")
    assert comparison.own[answer].form < 0.2, "and does not count as the course's own"


def test_earlier_cohorts_are_compared_with_the_class_alone():
    texts = klass()
    before = [ComparedAnswer(name, text, True, "2025") for name, text in klass(3).items()]
    twin = ComparedAnswer("twin", before[0].text, True, "2025")
    texts |= dict.fromkeys(("s00", "s01", "s02"), "pass")
    texts["s05"] = before[1].text
    answers = [*before, twin, *answers_of(texts)]
    comparison = compare(answers, Base(answers))
    assert heavy(comparison) == [("s05", "2025/s01")]
    assert not comparison.pairs[0].is_own
    assert comparison.compared == 60 * 59 // 2 + 60 * 4
    assert all(not answer.cohort for answer in comparison.answers)


@pytest.mark.parametrize("own", [False, True])
def test_an_answer_in_pieces_is_whole(own):
    text = "a = 1\n" + program(random.Random(3), "f") + "\nb = 2"
    answer = ComparedAnswer("ada", text, True)
    other = ComparedAnswer("bob", program(random.Random(3), "f"), True)
    shared = answer.every_mark & other.every_mark
    pieces = segments(answer, set() if own else shared, shared)
    assert "".join(piece for piece, _ in pieces) == text
    assert {kind for _, kind in pieces} == {-1, 1 if own else 0}
    marked = "".join(piece for piece, kind in pieces if kind >= 0)
    assert len(marked) > 0.9 * len(other.text) and not marked.endswith("b = 2")
