"""Fork servers that several processes use: started once, and all ends with who requested it."""

import os
import signal
from pathlib import Path

import pytest
from sandbox_client import running, soon

from nbjudge.inside import probe
from nbjudge.sandbox import Nursery, jail
from nbjudge.sandbox.lending import Lender, borrow

PROMISES = f"{probe.__name__}:promises"

both = pytest.mark.parametrize(
    "sandboxed",
    [
        pytest.param(
            True,
            marks=pytest.mark.skipif(jail.bubblewrap() is None, reason="needs bubblewrap"),
        ),
        False,
    ],
)


def light(sandboxed: bool, lent_at: Path | None = None) -> Nursery:
    """A nursery whose parents load nothing."""
    return Nursery(sandboxed, learners=(), examiners=(), examiner_entry=PROMISES, lent_at=lent_at)


@both
def test_two_nurseries_use_the_parents_of_a_third(sandboxed, tmp_path):
    far = tmp_path / ("long" * 40)  # no socket could have this path
    far.mkdir()
    mine = light(sandboxed)
    with Lender(mine, far):
        with light(sandboxed, far) as one, light(sandboxed, far) as other:
            children = [made for found in (one, other) for made in (found.examiner(),
                        found.isolated(PROMISES))]  # fmt: skip
            assert all(child.wait_ready() for child in children)
            pids = mine.parent_pids()
            assert one.parent_pids() == other.parent_pids() == pids
            assert one.base == other.base == mine.base
            assert len(os.listdir(mine.base)) >= 4  # a slot for each child
            for child in children:
                child.kill()
        base = mine.base
        assert os.path.isdir(base) and all(map(running, pids.values()))
    assert not os.path.exists(base) and not any(map(running, pids.values()))


@both
def test_whoever_borrowed_a_parent_that_died_starts_his_own(sandboxed, tmp_path):
    mine = light(sandboxed)
    with Lender(mine, tmp_path), light(sandboxed, tmp_path) as one:
        with one.isolated(PROMISES) as child:
            assert child.wait_ready()
        first = one.parent_pids()
        os.kill(first["learners"], signal.SIGKILL)
        assert soon(lambda: not running(first["learners"]))
        with one.isolated(PROMISES) as child:
            assert child.wait_ready()
        assert one.parent_pids()["learners"] != first["learners"]
        assert one.parent_pids()["examiners"] == first["examiners"]
        own = one.parent_pids()["learners"]
    assert not running(own)


def test_without_a_lender_it_starts_its_own(tmp_path):
    assert borrow(tmp_path) is None
    with light(False, tmp_path) as found, found.isolated(PROMISES) as child:
        assert child.wait_ready()


def test_a_lender_whose_parents_do_not_start_lends_nothing(tmp_path):
    broken = Nursery(False, learners=("tfcourse.no_such_module",), examiners=(), examiner_entry="")
    with Lender(broken, tmp_path):
        assert borrow(tmp_path) is None
    assert not broken.base
