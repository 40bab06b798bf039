"""Hugging Face's own models, tiny and with random weights, in folders, to compare ours with."""

import os

# Nothing is ever fetched: every checkpoint is made by the test that reads it.
os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error", HF_HUB_DISABLE_TELEMETRY="1")

import pytest  # noqa: E402
from pretrained_peers import PEERS, make  # noqa: E402


@pytest.fixture(scope="session", params=PEERS)
def peer(request):
    """The name of each peer in turn."""
    return request.param


@pytest.fixture
def saved(tmp_path):
    """A peer, and the folder that it was saved to."""

    def save(name, dtype=None, **settings):
        model = make(name, **settings)
        model = model if dtype is None else model.to(dtype)
        model.save_pretrained(tmp_path / name)
        return model, tmp_path / name

    return save
