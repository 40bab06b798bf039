"""Downloads of Canvas and Moodle, folders and hostile zips on their way into ``submitted/``."""

import csv
import io
import json
import zipfile
from pathlib import PurePosixPath

import pytest
from small_set import NAME

from nbjudge.collect import archives, naming
from nbjudge.collect.collecting import collect
from nbjudge.intake.find import take_in

SETS = [NAME, "ps98-other"]
GRADEBOOK = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Small set (77)\n"
    "    Points Possible,,,,,13\n"
    '"Love, Ada",17,S17,ada,A,\n"Wang, Wei",4711,S4711,wei1,A,\n"Wang, Wei",4712,S4712,wei2,B,\n'
    '"Away, Al",99,S99,al,B,\n'
)


def notebook(text="1"):
    """A notebook of one cell: what is in it makes no difference to collecting."""
    return json.dumps({"cells": [{"cell_type": "code", "source": text, "metadata": {}}]})


def zipped(files):
    """The bytes of a zip."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, text in files.items():
            file.writestr(name, text)
    return content.getvalue()


def download(folder, files, name="submissions.zip"):
    path = folder / name
    path.write_bytes(zipped(files))
    return path


def table(path):
    with path.open(encoding="utf-8", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def below(folder):
    """The files below a folder, without the tables."""
    paths = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return {name for name in paths if "/" in name}


CANVAS = {
    f"loveada_17_900_{NAME}.ipynb": notebook("ada"),
    f"wangwei_LATE_4711_901_{NAME}-1.ipynb": notebook("one"),
    "wangwei_4712_902_PS99 Small.ipynb": notebook("two"),
}


def test_canvas_is_kept_by_id(tmp_path):
    (tmp_path / "grades.csv").write_text(GRADEBOOK, encoding="utf-8-sig")
    files = {**CANVAS, "droppeddon_55_903_x.ipynb": notebook(), "notes.txt": "?"}
    into = tmp_path / "in"
    made = collect(
        "canvas", download(tmp_path, files), into, SETS, gradebook=tmp_path / "grades.csv"
    )
    assert made.problem_set == NAME
    assert below(into) == {
        f"loveada/{NAME}/{NAME}.ipynb",
        f"wangwei-4711/{NAME}/{NAME}-1.ipynb",
        f"wangwei-4712/{NAME}/PS99 Small.ipynb",
        f"droppeddon/{NAME}/x.ipynb",
    }
    people = table(into / "roster.csv")
    assert {name: row["ID"] for name, row in people.items()} == {
        "loveada": "17",
        "wangwei-4711": "4711",
        "wangwei-4712": "4712",
        "awayal": "99",
        "droppeddon": "55",
    }
    assert people["wangwei-4712"]["SIS Login ID"] == "wei2"
    assert {name: row["late"] for name, row in table(into / "receipts.csv").items()} == {
        "loveada": "no",
        "wangwei-4711": "yes",
        "wangwei-4712": "no",
        "droppeddon": "no",
    }
    assert made.left == [("notes.txt", "", "not named as Canvas names files: whose is it?")]
    assert made.notes == ["droppeddon (55) is not in the gradebook."]


def test_a_second_download_adds_to_the_first_and_loses_nothing(tmp_path):
    into = tmp_path / "in"
    collect("canvas", download(tmp_path, CANVAS), into, SETS)
    (into / "receipts.csv").write_text(
        f"student,problem_set,received,note\nloveada,{NAME},2026-11-30T10:00,mail\n"
        f"wangwei-4711,{NAME},2026-11-30T11:00,\n"
    )
    later = {
        f"loveada_17_900_{NAME}.ipynb": notebook("ada"),
        f"wangwei_4711_950_{NAME}-2.ipynb": notebook("better"),
        f"wangwei_4713_951_{NAME}.ipynb": notebook("a third of this name"),
    }
    made = collect("canvas", download(tmp_path, later), into, SETS)
    assert (made.new, made.renewed, made.unchanged) == (
        ["wangwei-4713"],
        ["wangwei-4711"],
        ["loveada"],
    )
    assert below(into) == {
        f"loveada/{NAME}/{NAME}.ipynb",
        f"wangwei-4711/{NAME}/{NAME}-2.ipynb",
        f"wangwei-4712/{NAME}/PS99 Small.ipynb",
        f"wangwei-4713/{NAME}/{NAME}.ipynb",
        f".earlier/wangwei-4711/{NAME}-1/{NAME}-1.ipynb",
    }
    rows = table(into / "receipts.csv")
    assert (rows["loveada"]["received"], rows["loveada"]["note"]) == ("2026-11-30T10:00", "mail")
    assert rows["wangwei-4711"]["received"] == "", "that time was of other work"
    assert "wangwei-4711 handed in again" in made.notes[0]
    again = collect("canvas", download(tmp_path, later), into, SETS)
    assert (again.new, again.renewed, len(again.unchanged)) == ([], [], 3)


@pytest.mark.parametrize("folder", ["file", "file_"], ids=["4.1 and later", "before 4.1"])
def test_moodle_gives_names_and_times(tmp_path, folder):
    files = {
        f"Ada Love_412_assignsubmission_{folder}/{NAME}.ipynb": notebook(),
        f"José Núñez_413_assignsubmission_{folder}/sub/{NAME}.ipynb": notebook(),
        f"Wei Wang_414_assignsubmission_{folder}/x.ipynb": notebook("1"),
        f"Wei Wang_415_assignsubmission_{folder}/x.ipynb": notebook("2"),
        "Wei Wang_415_assignsubmission_onlinetext/onlinetext.html": "<p>Hello",
    }
    (tmp_path / "sheet.csv").write_text(
        "Identifier,Full name,Email address,Status,Last modified (submission)\n"
        'Participant 412,Ada Love,ada@x.org,Submitted,"Monday, 30 November 2026, 11:59 PM"\n'
        "Participant 413,José Núñez,jose@x.org,Submitted,neulich\n"
        "Participant 416,Al Away,al@x.org,No submission,-\n"
    )
    into = tmp_path / "in"
    source = download(tmp_path, files)
    made = collect("moodle", source, into, SETS, gradebook=tmp_path / "sheet.csv")
    assert below(into) == {
        f"Ada Love/{NAME}/{NAME}.ipynb",
        f"José Núñez/{NAME}/sub/{NAME}.ipynb",
        f"Wei Wang-414/{NAME}/x.ipynb",
        f"Wei Wang-415/{NAME}/x.ipynb",
    }
    assert table(into / "roster.csv")["Al Away"]["Email address"] == "al@x.org"
    receipts = table(into / "receipts.csv")
    assert {name: row["received"] for name, row in receipts.items()} == {
        "Ada Love": "2026-11-30T23:59"
    }
    assert any("'neulich' cannot be read" in note for note in made.notes)
    ((path, whose, why),) = made.left
    assert (path.split("/")[-1], whose) == ("onlinetext.html", "Wei Wang")
    assert "typed into the platform" in why


def test_both_platforms_names_are_read_in_one_place():
    def read(platform, path):
        owner = naming.owned(platform, PurePosixPath(path))
        return owner and (owner.name, owner.number, str(owner.path), owner.late, owner.typed)

    assert read("canvas", "a_LATE_1_2_x_y.ipynb") == ("a", "1", "x_y.ipynb", True, False)
    assert read("canvas", "submissions/a_1_2_x.ipynb") == ("a", "1", "x.ipynb", False, False)
    assert read("canvas", "a_1_text.html") == ("a", "1", "text.html", False, True)
    assert read("canvas", "x.ipynb") is None
    flat = "A B_4_assignsubmission_file_x_y.ipynb"
    assert read("moodle", flat) == ("A B", "4", "x_y.ipynb", None, False)
    assert read("moodle", "A B/x.ipynb") is None


def test_what_one_learner_handed_in_stays_together(tmp_path):
    """A zip, macOS's files, the same name twice: nothing of it is lost, nothing stands for more."""
    packed = zipped(
        {
            f"{NAME}/{NAME}.ipynb": notebook(),
            "__MACOSX/._x": "junk",
            f"{NAME}/.ipynb_checkpoints/{NAME}-checkpoint.ipynb": notebook(),
        }
    )
    files = {
        f"a_1_10_{NAME}.zip": packed,
        f"b_2_11_{NAME}.ipynb": notebook("1"),
        f"b_2_12_{NAME.upper()}.ipynb": notebook("2"),
        f"b_2_13_{NAME}.ipynb": notebook("1"),
        "b_2_14_._x.ipynb": "junk",
        f"c_3_15_{NAME}.ipynb.txt": notebook(),
        "d_4_16_work.zip": b"PK no zip",
    }
    into = tmp_path / "in"
    made = collect("canvas", download(tmp_path, files), into, SETS)
    assert below(into) == {
        f"a/{NAME}/{NAME}.ipynb",
        f"b/{NAME}/{NAME}.ipynb",
        f"b/{NAME}/{NAME.upper()} (12).ipynb",
        f"c/{NAME}/{NAME}.ipynb.txt",
        f"d/{NAME}/work.zip",
    }
    assert made.left == []

    def look(student):
        return take_in(into / student, NAME, sets=SETS)

    assert look("a").content and not look("a").flags
    assert "which one counts?" in look("b").held[0]
    assert look("c").content and "is called" in look("c").flags[0]
    assert look("d").problem == f"no {NAME}.ipynb, but {NAME}/work.zip: a zip, which has to be " + (
        "unpacked"
    )


def encrypted(name):
    """A zip whose only file cannot be read without a password."""
    content = bytearray(zipped({name: notebook()}))
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(header) + flags] |= 1
    return bytes(content)


@pytest.mark.parametrize(
    ("called", "content", "named"),
    [
        ("9_work.zip", zipped({}), "work.zip: a zip"),
        ("9_work.zip", encrypted(f"{NAME}.ipynb"), "work.zip: a zip"),
        ("9_work.zip", zipped({"__MACOSX/._x": "junk"}), "work.zip: a zip"),
        ("9_.ipynb", notebook(), "ipynb (not taken).txt"),
        (f"9_{NAME}.ipynb", "0" * 200_000, f"{NAME}.ipynb (not taken).txt"),
        ("text.html", "<p>My answer", "text.html (not taken).txt"),
    ],
    ids=["empty", "encrypted", "only junk", "hidden", "too large", "typed"],
)
def test_what_was_not_taken_holds_the_mark(tmp_path, monkeypatch, called, content, named):
    monkeypatch.setattr(archives, "MAX_FILE", 100_000)
    files = {f"a_1_{called}": content, f"b_2_10_{NAME}.ipynb": notebook()}
    made = collect("canvas", download(tmp_path, files), tmp_path / "in", [NAME])
    assert made.new == ["a", "b"]
    submission = take_in(tmp_path / "in" / "a", NAME, sets=[NAME])
    assert submission.held == [submission.problem]
    assert submission.problem.startswith(f"no {NAME}.ipynb, but {NAME}/")
    assert named in submission.problem


def test_beside_a_notebook_only_what_is_a_file_is_noted(tmp_path):
    files = {
        f"a_1_10_{NAME}.ipynb": notebook(),
        "a_1_11_weights.zip": encrypted("line.safetensors"),
        "a_1_12_._x.ipynb": "junk",
        "a_1_text.html": "<p>Dear teacher",
    }
    into = tmp_path / "in"
    made = collect("canvas", download(tmp_path, files), into, [NAME])
    beside = {f"a/{NAME}/weights.zip", f"a/{NAME}/line.safetensors (not taken).txt"}
    assert below(into) == {f"a/{NAME}/{NAME}.ipynb", *beside}
    note = into / "a" / NAME / "line.safetensors (not taken).txt"
    assert note.read_text() == "line.safetensors: is encrypted\n"
    submission = take_in(into / "a", NAME, sets=[NAME])
    assert submission.content and not submission.held
    assert [path for path, _, _ in made.left] == ["weights.zip/line.safetensors", "a_1_text.html"]
    again = collect("canvas", tmp_path / "submissions.zip", into, [NAME])
    assert again.unchanged == ["a"]


def test_a_folder_of_work_by_mail(tmp_path):
    files = {
        "ada/ps98-other/ps98-other.ipynb": "left for the other set",
        f"ada/{NAME}/{NAME}.ipynb": notebook(),
        f"ben/{NAME} (1).ipynb": notebook(),
        f"cyd_{NAME}.ipynb": notebook(),
        f"{NAME} dee.ipynb": notebook(),
        "eve.ipynb.txt": notebook(),
        f"{NAME}.ipynb": notebook(),
    }
    for name, text in files.items():
        path = tmp_path / "mail" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    made = collect("folder", tmp_path / "mail", tmp_path / "in", SETS, problem_set=NAME)
    assert made.new == ["ada", "ben", "cyd", "dee", "eve"]
    for student in made.new:
        assert take_in(tmp_path / "in" / student, NAME, sets=SETS).content, student
    assert made.left == [(f"{NAME}.ipynb", "", "its name does not say whose it is")]
    assert set(table(tmp_path / "in" / "roster.csv")) == set(made.new)


def test_an_unpacked_download_is_read_too(tmp_path):
    """Safari unpacks a zip that it downloads."""
    with zipfile.ZipFile(download(tmp_path, CANVAS)) as file:
        file.extractall(tmp_path / "submissions")
    made = collect("canvas", tmp_path / "submissions", tmp_path / "in", SETS)
    assert len(made.new) == 3


# -- what is refused -------------------------------------------------------------------------------


def _link():
    about = zipfile.ZipInfo("link.ipynb")
    about.external_attr = 0o120777 << 16
    return about


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../../evil.ipynb", "leads out of the folder"),
        ("/etc/evil.ipynb", "leads out of the folder"),
        ("..\\evil.ipynb", "leads out of the folder"),
        ("C:/evil.ipynb", "leads out of the folder"),
        (_link(), "is a link"),
    ],
    ids=["up", "absolute", "backslash", "drive", "link"],
)
def test_no_path_leads_out_of_the_folder(tmp_path, name, why):
    inner = zipped({name: "/etc/passwd", f"{NAME}.ipynb": notebook()})
    source = download(tmp_path, {"a_1_10_x.zip": inner})
    made = collect("canvas", source, tmp_path / "in", [NAME])
    assert [(whose, why in reason) for _, whose, reason in made.left] == [("a", True)]
    called = PurePosixPath(getattr(name, "filename", name).replace("\\", "/")).name
    assert below(tmp_path / "in") == {
        f"a/{NAME}/{NAME}.ipynb",
        f"a/{NAME}/{called} (not taken).txt",
    }
    assert {path.name for path in tmp_path.iterdir()} == {"in", "submissions.zip"}


def test_a_bomb_is_stopped_at_the_limits(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MAX_FILE", 1000)
    monkeypatch.setattr("nbjudge.collect.collecting.MAX_LEARNER", 1500)
    monkeypatch.setattr("nbjudge.collect.collecting.MAX_FILES", 3)
    lies = bytearray(zipped({"lies.ipynb": "0" * 2000}))
    for at in (22, lies.index(b"PK\x01\x02") + 24):  # both headers' sizes after unpacking
        lies[at : at + 4] = (10).to_bytes(4, "little")
    files = {
        "a_1_10_x.zip": zipped({"big.ipynb": "0" * 2000}),
        "b_2_11_x.zip": zipped({"one.ipynb": "0" * 900, "two.ipynb": "1" * 900}),
        "c_3_12_x.zip": zipped({f"{n}.ipynb": "1" for n in range(9)}),
        "d_4_13_x.zip": bytes(lies),
    }
    made = collect("canvas", download(tmp_path, files), tmp_path / "in", [NAME])
    whose = [one for _, one, _ in made.left]
    assert (whose.count("a"), whose.count("b"), whose.count("c")) == (1, 1, 6)
    assert sum(p.stat().st_size for p in (tmp_path / "in").rglob("*.ipynb")) < 2000
    monkeypatch.setattr(archives, "MAX_ENTRIES", 3)
    with pytest.raises(ValueError, match="holds 4 files, more than 3"):
        collect("canvas", tmp_path / "submissions.zip", tmp_path / "in", [NAME])


@pytest.mark.parametrize("name", ["..", "...", "a/b", "CON:", "x" * 300, "\n", "<b>"])
def test_a_learners_name_is_a_folder_in_submitted(tmp_path, name):
    part = f"{name}_7_assignsubmission_file"
    files = {f"{part}/{NAME}.ipynb": notebook()}
    try:
        made = collect("moodle", download(tmp_path, files), tmp_path / "in", [NAME])
    except ValueError:
        assert "/" in name or name == ".."
        return
    (student,) = made.new
    assert len(student) <= 100 and student.isprintable()
    assert (tmp_path / "in" / student / NAME / f"{NAME}.ipynb").is_file()


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("canvas", b"no zip", "cannot be read as a zip"),
        ("canvas", zipped({"x.ipynb": "{}"}), "use the zip exactly as you downloaded it"),
        ("folder", b"", "is not a folder"),
    ],
)
def test_what_is_no_download_is_said_in_a_line(tmp_path, kind, content, message):
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        collect(kind, path, tmp_path / "in", [NAME])


def test_a_wrong_table_and_a_nameless_set_are_said(tmp_path):
    path = download(tmp_path, {"a_1_2_x.ipynb": notebook()})
    with pytest.raises(ValueError, match="add --problem-set with one of"):
        collect("canvas", path, tmp_path / "in", SETS)
    (tmp_path / "other.csv").write_text("First name,ID number\nAda,3\n")
    with pytest.raises(ValueError, match="it must be the gradebook"):
        collect("canvas", path, tmp_path / "in", [NAME], gradebook=tmp_path / "other.csv")
