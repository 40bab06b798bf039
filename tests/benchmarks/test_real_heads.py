"""What the lessons and figures say of a real encoder's heads is what its record holds."""

import json
import re
import tomllib

import pytest

from coursebook.course import Lesson, figure_numbers


@pytest.fixture(scope="module")
def found(course):
    path = Lesson(course, "06-multi-head").records / "real-encoder.json"
    return json.loads(path.read_text("utf-8"))["results"]


def text(course, lesson):
    cells = json.loads(Lesson(course, lesson).notebook.read_text("utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells)


def test_every_sentence_was_read_and_is_shown_as_it_was_read(course, found):
    says = tomllib.loads(
        (Lesson(course, "06-multi-head").measure / "real_encoder.toml").read_text("utf-8")
    )
    assert {n: " ".join(one["words"][1:-1]) for n, one in found["guiding"].items()} == {
        name: one["sentence"] for name, one in says["guiding"].items()
    }
    for one in found["guiding"].values():
        for rows in one["heads"].values():
            assert all(abs(sum(row) - 1000) <= len(row) for row in rows)
    figure = json.loads(figure_numbers(course, "encoder").read_text("utf-8"))
    assert figure["sentences"] == list(found["guiding"].values())
    assert figure["model"] == found["model"]
    for kind in says["it"]:
        stored = found["it"][kind["kind"]]["sentences"]
        assert [[r["sentence"], r["noun"], r["other"]] for r in stored] == kind["sentences"]


def test_lesson_6_says_how_often_the_heads_work(course, found):
    said, one, two = text(course, "06-multi-head"), *found["it"].values()
    assert one["right"] == {"4.2": 11, "6.12": 11} and one["of"] == two["of"] == 12
    assert two["right"]["4.2"] == 8 and "the head is right 8 times of 12" in said
    # The head that leads from *it* to the noun, and the one in which every word does.
    assert one["from it"]["4.2"] > 4 * one["from other words"]["4.2"]
    assert one["from it"]["6.12"] < 1.3 * one["from other words"]["6.12"]
    assert two["from it"]["6.12"] < 1.3 * two["from other words"]["6.12"]
    roles = found["roles"]["heads"]
    assert f"In {len(roles['[CLS] and [SEP]'])} heads more than half" in said
    assert roles["the word before"] == ["1.3"] and roles["the word after"] == ["2.9"]
    cat = found["guiding"]["mask"]
    for head, shown in (("4.2", "0.53"), ("6.12", "0.69")):
        weight = cat["heads"][head][cat["asks"]][cat["words"].index("cat")] / 1000
        assert weight == pytest.approx(float(shown), abs=0.006), "as the figure shows"


def test_lesson_5_says_how_often_the_head_works(course, found):
    said, note = text(course, "05-self-attention"), found["note heads"]
    assert (
        note["head"] == "1.1"
        and "In 14 of 24 new ones the most attended word tells the sense" in said
        and "by chance it would be 6" in said
    )
    parts = note["tested"], note["fresh"]
    assert sum(part["right"]["1.1"] for part in parts) == 14
    assert round(sum(part["by chance"] for part in parts)) == 6
    assert sum(part["of"] for part in parts) == 24
    real = found["guiding"]["note"]
    row = dict(zip(real["words"], real["heads"]["1.1"][real["asks"]], strict=True))
    shown = re.findall(r"0\.\d\d", said[said.index("as a real encoder reads it") :])[:4]
    assert [float(x) for x in shown] == pytest.approx(
        [row[word] / 1000 for word in ("hummed", "guitar", "[CLS]", "strings")], abs=0.006
    )


def test_lesson_6_says_which_words_a_verb_attends_to(course, found):
    path = Lesson(course, "06-multi-head").records / "real-verbs.json"
    verbs, said = json.loads(path.read_text("utf-8"))["results"], text(course, "06-multi-head")
    assert verbs["model"] == found["model"] and verbs["words"] == found["guiding"]["mask"]["words"]
    tested = [row["sentence"] for row in found["it"]["one noun"]["sentences"]]
    assert set(verbs["sentences"]) <= set(tested) and verbs["of"] == len(verbs["sentences"]) == 9
    subject, negation, thing = verbs["relations"].values()
    assert "in seven of nine other sentences the verb looks most at its object" in said
    assert "No head gives its subject, *it*, more than 0.20" in said
    assert (negation["right"], thing["right"]) == (9, 7)
    opening = verbs["opening"]
    assert opening["asks"] == found["guiding"]["mask"]["asks"]
    before, noun = opening["heads"].values()
    assert list(opening["heads"]) == ["1.3", "4.2"]
    assert verbs["words"][before.index(max(before))] == "because" and max(before) > 0.99
    assert noun == [w / 1000 for w in found["guiding"]["mask"]["heads"]["4.2"][6]]
    assert found["roles"]["sentences"] == 60 and "Over 60 sentences the first" in said
    assert "In 11 of 12 other sentences the second" in said
    assert found["roles"]["heads"]["the word before"] == [negation["head"]] == ["1.3"]
    assert thing["head"] == "4.2" and thing["from the verb"] > 4 * thing["from other words"]
    assert thing["weights"] == [w / 1000 for w in found["guiding"]["mask"]["heads"]["4.2"][8]]
    assert subject["weights"][verbs["words"].index("it")] == 0.2, "the most of any head"
