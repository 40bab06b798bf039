"""The commands of *How to teach the course*, in the page's order, on a class of the small set.

Elsewhere are those that only collect (``test_recipes.py``), and the leaderboard, which needs a set
with measures (``test_enclosures.py``).
"""

import csv
import json
import re
import shlex
import shutil
import zipfile
from pathlib import Path

import pytest
from around import the_course
from command_line import run_in_one_line
from small_set import NAME, answered

from nbjudge.intake.policy import check_tests, read_rules
from nbjudge.marking.desk import OPEN
from nbjudge.marking.opening import open_desk
from nbjudge.marking.rubric import MarkersChoice

TEXT = (the_course() / "book" / "teach.md").read_text("utf-8")
CLASS = {"ada": 1, "ben": 2, "eve": 3}
#: What the page names, and what stands for it here.
HERE = {"ps01-words": NAME, "ps05-self-attention": NAME, "masked-attention": "double"}
#: The tables that platforms export of the class; the names of a learner's file in their downloads.
TABLES = {
    "gradebook.csv": f"Student,ID,SIS Login ID,Section,{NAME} (4711)\n    Points Possible,,,,13\n"
    + "".join(f"{name},{number},{name},A,\n" for name, number in CLASS.items()),
    "worksheet.csv": "Identifier,Full name,Grade,Maximum Grade,Last modified (grade)\n"
    + "".join(f"Participant {number},{name},,13,-\n" for name, number in CLASS.items()),
}
FILES = {"canvas": "{}_{}_9_{}.ipynb", "moodle": "{}_{}_assignsubmission_file/{}.ipynb"}


def part(heading):
    """A section of the page."""
    return TEXT.split(f"\n## {heading}\n")[1].partition("\n## ")[0]


def commands(text):
    """The words of each of the course's commands in a part of the page."""
    for name, here in HERE.items():
        text = text.replace(name, here)
    for block in re.findall(r"^ *```bash\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", " ").splitlines():
            program, *words = shlex.split(line, comments=True) or [""]
            if program == "tfcourse":
                yield words


@pytest.fixture(params=FILES)
def platform(request, in_small_course, small_course, tmp_path, monkeypatch):
    """A platform in whose downloads are a right notebook, one that is cut off, and a wrong one."""
    folder = tmp_path / "class"
    folder.mkdir()
    monkeypatch.chdir(folder)
    right, wrong = answered(small_course), answered(small_course, double="double = abs")
    work = (json.dumps(right), "{", json.dumps(wrong))
    with zipfile.ZipFile("submissions.zip", "w") as file:
        for (name, number), text in zip(CLASS.items(), work, strict=True):
            file.writestr(FILES[request.param].format(name, number, NAME), text)
    for name, text in TABLES.items():
        Path(name).write_text(text)
    return request.param


@pytest.fixture
def run(small_course):
    """Run a command as the page says; marks are given without its page in a browser."""

    def call(words):
        if words[0] == "mark":
            mark(small_course)
            return ""
        if "--earlier" in words:
            shutil.copytree("graded", words[words.index("--earlier") + 1])
        words = [*words, "--yes"] if words[0] == "forget" else words
        code, output = run_in_one_line(*words)
        assert code == 0, (words, output)
        return output

    return call


def mark(course):
    """Give what waits for a mark the points of its scheme's first item."""
    with open_desk(NAME, Path("graded"), "mia", course=course) as desk:
        (question,) = desk.questions.values()
        for name in CLASS:
            answer = desk.answer(question, name)
            if answer.standing == OPEN:
                desk.save(question, name, MarkersChoice({1: 1}), "", answer.seen)


def marks(platform):
    """The marks in the platform's own table, as filled in, by learner."""
    who, points = ("Student", f"{NAME} (4711)") if platform == "canvas" else ("Full name", "Grade")
    with Path("graded", f"{NAME}-{platform}.csv").open(encoding="utf-8") as file:
        return {row[who]: row[points] for row in csv.DictReader(file) if row[who] in CLASS}


def week_1(platform):
    """The commands of the first week, for a platform as the page says."""
    text = part("Week 1")
    pairs = re.findall(r"`(\S+)` for `(\S+)`", text)
    assert pairs == [("moodle", "canvas"), ("worksheet.csv", "gradebook.csv")]
    for words in commands(text):
        yield words if platform == "canvas" else [{v: k for k, v in pairs}.get(w, w) for w in words]


def test_the_rules_on_the_page_are_read(tmp_path):
    name = "ps05-self-attention"
    for text in re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL):
        (tmp_path / "class.toml").write_text(text)
        policy = read_rules(tmp_path, name, [name], ["ada", "ben", "c.love", "dora"])
        assert not policy.notes
        graded = ["scaling--hidden", "masked-attention--values"]
        check_tests(policy, graded, name)
        assert policy.extensions.keys() == {"ada", "ben", "c.love"} or policy.void
    with pytest.raises(ValueError, match="line 2"):
        (tmp_path / "class.toml").write_text(text.replace('["', '"').replace('"]', '"'))
        read_rules(tmp_path, name, [name], [])


@pytest.mark.thorough("grading of small classes")
def test_the_first_week_and_each_command_after_it(platform, run):
    *before, last = week_1(platform)
    collected, graded, _ = map(run, before)
    run([*last, "--provisional"])
    assert marks(platform)["ben"] == "", "held"
    exported = run(last)
    assert f"{NAME}: 3 learners collected" in collected
    assert "ben: ps99-small.ipynb is not a notebook" in graded
    assert "0 of 3 notebooks run" in exported, "marks by hand are put in without running anything"
    assert marks(platform) == {"ada": "13", "ben": "", "eve": "8"}
    overview = re.findall(r"`(graded/\S+)`", part("Week 1"))
    for place in (*overview, f"graded/{NAME}-feedback-{platform}.zip"):
        assert Path(place.replace("ps01-words", NAME)).is_file(), place
    page = Path(f"graded/feedback/ada/{NAME}/{NAME}.html").read_text("utf-8")
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)""", page), "without links to others"
    files = re.findall(r"^\| `(\S+?)` \|", part("Grade"), re.MULTILINE)
    assert len(files) == 9 and all(Path("graded", name).exists() for name in files)

    other = next(name for name in FILES if name != platform)
    outputs = {}
    for words in commands(TEXT[TEXT.index("\n## Grade\n") :]):
        if other in words or "ps14-translator" in words or words[0] in ("book", "pdf"):
            continue
        if words[0] == "forget":
            assert marks(platform)["ben"] == "0", "accepted before"
            assert Path(f"graded/likeness/{NAME}.html").is_file()
            assert Path("graded/report/index.html").is_file()
        last = words[0] if words[0] != "grade" else words[-1]
        outputs[last] = run(words)
    assert (
        "ada, double: 5 of 5 points" in outputs["double"]
        and "--again ada --seed" in outputs["double"]
    )
    assert outputs["forget"].startswith("Deleted of 3 learners: ada, ben, eve")
    assert not list(Path("submitted").rglob("*.ipynb"))
    assert Path("graded-again", "grades.csv").is_file(), "the restored copy is another folder"
