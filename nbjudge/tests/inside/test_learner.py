"""The process that answers an examiner's requests about a learner's names."""

import socket
import threading

from nbjudge.inside.testing import learner, unseen
from nbjudge.inside.wire import Channel, Name


def test_a_call_that_uses_all_memory_is_told_and_answers_go_on(monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr(unseen, "about_error", full)  # as if telling of it needed too much
    ours, theirs = socket.socketpair()
    names = {"greedy": full, "double": lambda x: 2 * x}
    answering = threading.Thread(
        target=learner.answer, args=(Channel(theirs, 1 << 20, names=True), names)
    )
    answering.start()
    talk = Channel(ours, 1 << 20, names=True)

    def asked(name):
        fields = {"args": (3,), "kwargs": {}, "keep": True}
        about = {"id": 1, "verb": "call", "target": Name(name), "forbidden": [], "fields": fields}
        talk.send(about, 10)
        return talk.receive(10)

    try:
        reply = asked("greedy")
        assert reply["is"] == "mistake" and "MemoryError" in reply["value"]["says"]
        assert asked("double")["value"] == 6
    finally:
        ours.close()
        answering.join()
