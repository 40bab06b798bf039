"""Starting the process that workers are forked from."""

import os
import signal
import time
from multiprocessing import forkserver

import pytest

from nbjudge.run import workers


@pytest.fixture
def as_in_a_terminal():
    """Among several processes of pytest, none listens to Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_while_it_starts_is_not_lost(as_in_a_terminal, monkeypatch):
    monkeypatch.setattr(forkserver, "ensure_running", lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        workers.warm_up()
        time.sleep(1)  # where a signal that was only late would come
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
