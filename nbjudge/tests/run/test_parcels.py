"""Jobs, judgements and records are held to their types; those of another version are refused."""

import socket
import sqlite3

import msgpack
import pytest

from nbjudge.failure import GradingFailed
from nbjudge.inside.messages import Malformed, from_json, pack, to_json, unpack
from nbjudge.inside.wire import Channel, WireError
from nbjudge.judge.job import Job, Judged, TestScore
from nbjudge.judge.messages import Connection, Finding, HowLong, Waited
from nbjudge.run.parcels import FORMAT, pack_job, pack_judged, unpack_job, unpack_judged
from nbjudge.store.ledger import Ledger
from nbjudge.store.record import Record, TestRecord


def judged(score=1.0):
    tests = {"double--values": TestScore(score=score, max_score=2, measured={"seconds": 0.5})}
    return Judged(b"{}", tests, ["a flag"], 1.0, 0.5, 100, "bwrap")


def test_they_come_out_as_they_went_in():
    job = Job("ada", b"{}", 2**62, names={"double": ("double", "twice")}, files={"a": b"x"})
    assert unpack_job(pack_job(job), {"a": b"x"}) == job
    assert unpack_judged(pack_judged(judged())) == judged()


def test_one_of_another_version_is_refused_with_a_sentence():
    message = "another version of the judge .* the same version on all machines"
    with pytest.raises(Malformed, match=message):
        unpack_job(
            msgpack.packb([FORMAT + 1, msgpack.unpackb(pack_job(Job("ada", b"", 1)))[1]]), {}
        )
    with pytest.raises(Malformed, match=message):
        unpack_judged(msgpack.packb([FORMAT - 1, {"of": "before"}]))


@pytest.mark.parametrize("score", [-0.5, 2.5, float("nan")])
def test_a_score_that_a_test_cannot_give_is_refused(score):
    with pytest.raises(Malformed, match="double--values: score .* is out of range"):
        unpack_judged(pack_judged(judged(score)))


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        ({"tests": {"a": {"score": "1", "max_score": 2}}}, r"`float \| int`|`float`, got `str`"),
        ({"flags": [1]}, r"`\$.flags\[0\]`"),
        ({"seconds": None}, r"`\$.seconds`"),
        ({"notebook": "text"}, r"`\$.notebook`"),
    ],
)
def test_a_judgement_says_what_is_wrong_in_it(changed, where):
    content = msgpack.unpackb(pack_judged(judged()))[1] | changed
    with pytest.raises(Malformed, match=where):
        unpack_judged(msgpack.packb([FORMAT, content]))


def test_judge_and_examiner_take_no_other_message_than_the_expected():
    one, other = map(Channel, socket.socketpair())
    Connection(one).send(Waited(seconds=2.0))
    assert Connection(other).receive(Waited, seconds=9).seconds == 2.0
    for wrong in (Waited(seconds=2.0), HowLong()):
        Connection(one).send(wrong)
        with pytest.raises(WireError, match="not a message of ours"):
            Connection(other).receive(Finding, seconds=9)
    one.send("no message")
    with pytest.raises(WireError, match="not a message of ours"):
        Connection(other).receive(Finding, seconds=9)


def test_numbers_that_json_lacks_are_kept():
    assert from_json(to_json(Finding(value=float("inf"))), Finding).value == float("inf")
    assert unpack(pack(Finding(value="'str'")), Finding).value == "'str'"


def test_a_record_that_this_version_did_not_write_is_refused_with_a_sentence(tmp_path):
    path = tmp_path / "ledger.db"
    record = Record(
        tests={"double--values": TestRecord(seen=["a note"])}, adjusted=([], [("a", 2)])
    )
    with Ledger(path) as ledger:
        ledger.queue("ps", "ada", "key", 1)
        assert ledger.entry("ps", "ada").record is None
        ledger.finish("ps", "ada", "key", 1, record)
        assert ledger.entry("ps", "ada").record == record
    for text in ('{"points_of_later": 1}', '{"held": "text"}', "[]", "no JSON"):
        with sqlite3.connect(path) as database:
            database.execute("UPDATE submission SET record = ?", (text,))
        with Ledger(path) as ledger, pytest.raises(GradingFailed) as caught:
            ledger.entry("ps", "ada")
        message = str(caught.value)
        assert (
            str(path) in message and "a record of ada" in message and "Restore a backup" in message
        )
