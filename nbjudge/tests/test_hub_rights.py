"""What the hub's accounts may read of each other: set up by root, for people with their own."""

import os
import pwd
import runpy
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from small_hub import COURSE, HUB, set_up, small_clone
from small_set import NAME
from traitlets.config import PyFileConfigLoader

from nbjudge.intake.release import make_release

SECRET = "the instructor's way"

#: Accounts that every Linux has and nobody logs in with stand for the people.
TEACHER, ADA, BEN = "daemon", "games", "nobody"


def made_readable(*places: str | Path) -> list[str]:
    """Bubblewrap's options that let others enter these folders where only root can: root's home."""
    options: list[str] = []
    for place in map(Path, dict.fromkeys(map(str, places))):
        shut = [folder for folder in place.parents if not folder.stat().st_mode & 0o001]
        if not shut:
            continue
        if str(shut[-1]) not in options:
            options += ["--perms", "0755", "--tmpfs", str(shut[-1])]
        for folder in reversed(place.parents):
            if shut[-1] in folder.parents:
                options += ["--perms", "0755", "--dir", str(folder)]
        options += ["--ro-bind", str(place), str(place)]
    return options


def run_as(number: int, group: int, *command: object, home: Path, **variables: str):
    """Run a command with the rights of a user's number, in a home."""
    seen = made_readable(sys.base_prefix, sys.prefix, COURSE)
    rights = [f"--reuid={number}", f"--regid={group}", "--clear-groups"]
    whole = ["bwrap", "--dev-bind", "/", "/", *seen, "--cap-add", "ALL", "setpriv", *rights]
    return subprocess.run(
        [*whole, *map(str, command)],
        umask=0o022,
        cwd=home,
        env={"PYTHONDONTWRITEBYTECODE": "1", **variables, "HOME": str(home)},
        capture_output=True,
        text=True,
    )


READ = """\
import os, sys
for top in sys.argv[2:]:
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            try:
                with open(path, errors="replace") as file:
                    if sys.argv[1] in file.read():
                        print(path)
            except OSError:
                pass
"""


class Server:
    """A server's folders, in a place that every account can reach."""

    def __init__(self, base: Path):
        self.base, self.hub = base, base / "hub"
        self.homes = {name: base / "home" / name for name in (TEACHER, ADA, BEN)}
        for name, home in self.homes.items():
            home.mkdir(parents=True)
            home.chmod(0o755)  # as most distributions make them
            shutil.chown(home, self.number(name))
        self.source = small_clone(base / "source")
        self.source.chmod(0o700)
        self.lay_out()

    def number(self, account: str) -> int:
        """The number that owns somebody's files."""
        return pwd.getpwnam(account).pw_uid

    def lay_out(self) -> None:
        """Make the folders as the hub's own script does."""
        set_up(self.source, self.hub, self.homes[TEACHER], "--owner", TEACHER)

    def run(self, account: str, *command: object) -> subprocess.CompletedProcess:
        """Run a command as the hub runs somebody's server, whose terminals inherit all of it."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COURSE_HUB", str(self.hub))
            patch.setenv("COURSE_INSTRUCTORS", TEACHER)
            config = PyFileConfigLoader("jupyterhub_config.py", str(HUB)).load_config()
        spawner = SimpleNamespace(user=SimpleNamespace(name=account))
        config.Spawner.pre_spawn_hook(spawner)
        opened = spawner.cmd[: spawner.cmd.index("sh", 1) + 1]
        own = {**spawner.environment, "JUPYTERHUB_USER": account}
        rights = self.number(account), pwd.getpwnam(account).pw_gid
        return run_as(*rights, *opened, *command, home=self.homes[account], **own)

    def reads(self, account: str, text: str) -> list[str]:
        """The files everywhere on the server in which an account can read a text."""
        made = self.run(account, sys.executable, "-c", READ, text, self.base)
        assert made.returncode == 0, made.stderr
        return made.stdout.splitlines()


class Pods(Server):
    """The same people in pods of the Kubernetes hub, whose numbers belong to no account."""

    def number(self, account: str) -> int:
        return self.spawned(account).uid

    def spawned(self, account: str) -> SimpleNamespace:
        """What the hub's configuration makes of somebody's pod."""
        number = (TEACHER, ADA, BEN).index(account) + 1
        spawner = SimpleNamespace(user=SimpleNamespace(name=account, id=number))
        spawner.environment, spawner.extra_labels = {"COURSE_EXCHANGE": "/srv/exchange"}, {}
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COURSE_INSTRUCTORS", TEACHER)
            patch.setenv("COURSE_INSTRUCTORS_IMAGE", "instructor")
            config = PyFileConfigLoader("pods.py", str(HUB / "kubernetes")).load_config()
        config.Spawner.pre_spawn_hook(spawner)
        return spawner

    def lay_out(self) -> None:
        """Two folders stand for the images; only the instructor's pods have that of the second."""
        set_up(self.source, self.hub, self.base / "nowhere")
        shutil.rmtree(self.base / "nowhere")
        for path in (self.source, *self.source.rglob("*")):
            shutil.chown(path, self.number(TEACHER))
        assert self.run(TEACHER, "true").returncode == 0
        (self.homes[TEACHER] / "course").chmod(0o700)  # nobody else's pod mounts her home

    def run(self, account: str, *command: object) -> subprocess.CompletedProcess:
        """Run a command as in somebody's pod."""
        spawner = self.spawned(account)
        course = self.source if account == TEACHER else self.hub / "course"

        def here(text: str) -> str:
            text = text.replace("/home/grader/course/deploy", str(COURSE / "deploy"))
            text = text.replace("/home/grader/course", str(course))
            return text.replace("/srv/exchange", str(self.hub / "exchange"))

        opened = [here(part) for part in spawner.cmd[: spawner.cmd.index("sh", 1) + 1]]
        own = {name: here(text) for name, text in spawner.environment.items()}
        own |= {"JUPYTERHUB_USER": account, "PATH": os.environ["PATH"]}
        rights = spawner.uid, spawner.gid
        return run_as(*rights, *opened, *command, home=self.homes[account], **own)


@pytest.fixture(scope="module", params=[Server, Pods], ids=["accounts", "pods"])
def server(request):
    if os.name != "posix" or os.getuid() != 0:
        pytest.skip("needs root, who can act as several accounts")
    if not (shutil.which("bwrap") and shutil.which("setpriv")):
        pytest.skip("needs bubblewrap and setpriv, which run commands as other accounts")
    for name in (TEACHER, ADA, BEN):
        try:
            pwd.getpwnam(name)
        except KeyError:
            pytest.skip(f"needs an account {name}")
    base = Path(tempfile.mkdtemp(prefix="hub-"))
    base.chmod(0o755)
    try:
        made = request.param(base)
        if (tried := made.run(ADA, sys.executable, "-c", "import nbgrader")).returncode:
            pytest.skip(f"other accounts cannot be tried here: {tried.stderr[-200:]}")
        yield made
    finally:
        shutil.rmtree(base)


def test_only_the_instructor_reads_the_solutions(server):
    clone = server.homes[TEACHER] / "course"
    assert str(clone / f"solutions/{NAME}/{NAME}.ipynb") in server.reads(TEACHER, SECRET)
    for learner in (ADA, BEN):
        assert server.reads(learner, SECRET) == []
        assert server.run(learner, "ls", clone).returncode != 0
    assert oct(clone.stat().st_mode & 0o777) == "0o700"


def test_a_learners_copy_is_a_course_without_what_is_private(server):
    copy = server.hub / "course"
    there = {path.name for path in copy.iterdir()}
    assert "nbgrader_config.py" in there and not there & {"solutions", "tests", "examples", ".git"}
    assert not (copy / "nbjudge/tests").exists()
    assert list((copy / "notebooks/assignments").iterdir()) == []
    assert server.run(ADA, "touch", copy / "mine").returncode != 0, "learners only read it"


def test_what_learners_do_not_get_is_said_once():
    private = runpy.run_path(str(HUB / "set_up.py"))["PRIVATE"]
    excluded = " ".join(f"':!{name}'" for name in private)
    assert f"git archive HEAD -- . {excluded} |" in (COURSE / "book/teach.md").read_text("utf-8")


@pytest.mark.thorough("test of the exchange between accounts")
def test_the_exchange_keeps_learners_apart(server):
    """Each submits, neither finds the other's work, and the instructor reads both."""
    make_release(NAME, server.homes[TEACHER] / "course")
    for path in (server.homes[TEACHER] / "course").rglob("*"):
        shutil.chown(path, server.number(TEACHER))
    nbgrader = (sys.executable, "-m", "nbgrader")
    released = server.run(TEACHER, *nbgrader, "release_assignment", NAME)
    assert released.returncode == 0, released.stderr
    for learner in (ADA, BEN):
        work = server.homes[learner] / "work"
        assert server.run(learner, "mkdir", "-p", work / "assignments").returncode == 0
        fetched = server.run(learner, *nbgrader, "fetch_assignment", NAME)
        assert fetched.returncode == 0, fetched.stderr
        notebook = work / "assignments" / NAME / f"{NAME}.ipynb"
        notebook.write_text(notebook.read_text().replace("A small set", f"By {learner}"))
        submitted = server.run(learner, *nbgrader, "submit", NAME)
        assert submitted.returncode == 0, submitted.stderr
    inbound = server.hub / "exchange/small-course/inbound"
    assert len(list(inbound.iterdir())) == 2
    for learner, other in ((ADA, BEN), (BEN, ADA)):
        assert server.reads(learner, f"By {learner}") != []
        assert server.reads(learner, f"By {other}") == []
        assert server.run(learner, "ls", inbound).returncode != 0
        assert any("inbound" in path for path in server.reads(TEACHER, f"By {learner}"))
        assert server.reads(learner, SECRET) == [], "releasing shows no solution"
