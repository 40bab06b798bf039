"""The progress bar of a loop in a notebook: what a real kernel sends to the front end."""

import os
from collections.abc import Iterator

import pytest
from jupyter_client import KernelManager

from tfcourse.training import progress_bar

SHOWN = ("display_data", "update_display_data")


@pytest.fixture(scope="module")
def kernel() -> Iterator:
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(env={k: v for k, v in os.environ.items() if k != "TQDM_DISABLE"})
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=120)
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def shown(kernel, loop: str, *, wait: float = 0.0) -> list[dict]:
    """The contents of what a loop displays; nothing else is printed."""
    messages: list[dict] = []
    code = (
        f"from tfcourse.training import bars, progress_bar\nbars.WAIT, bars.EVERY = {wait}, 0.0\n"
    )
    kernel.execute_interactive(code + loop, output_hook=messages.append, timeout=120)
    found = [one for one in messages if one["msg_type"] not in ("status", "execute_input")]
    assert {one["msg_type"] for one in found} <= set(SHOWN)
    return [one["content"] for one in found if one["msg_type"] in SHOWN]


def test_it_is_one_output_that_is_empty_at_the_end(kernel):
    first, *others = shown(kernel, "for _ in progress_bar(range(4)): pass")
    assert [first["data"]["text/plain"], *(one["data"]["text/plain"][:12] for one in others)] == [
        "0 of 4 steps", "1 of 4 steps", "2 of 4 steps", "3 of 4 steps", ""
    ]  # fmt: skip
    assert '<progress value="0" max="4"' in first["data"]["text/html"]
    assert others[-1]["data"] == {"text/plain": ""}
    assert len({one["transient"]["display_id"] for one in (first, *others)}) == 1


@pytest.mark.parametrize(
    "loop",
    [
        "for n in progress_bar(range(9)):\n    if n == 2: break",
        "for _ in zip(progress_bar(range(3)), range(9)): pass",
    ],
)
def test_a_loop_that_ends_early_leaves_nothing_either(kernel, loop):
    found = shown(kernel, loop)
    assert len(found) == 4 and found[-1]["data"] == {"text/plain": ""}


def test_without_a_length_it_counts(kernel):
    found = shown(kernel, "for _ in progress_bar(iter('ab')): pass")
    assert [one["data"] for one in found[:2]] == [
        {"text/plain": "0 steps"}, {"text/plain": "1 steps"}
    ]  # fmt: skip


def test_a_short_loop_draws_nothing(kernel):
    assert shown(kernel, "for _ in progress_bar(range(4)): pass", wait=60.0) == []


def test_nothing_is_drawn_where_outputs_are_stored(kernel):
    loop = "import os\nos.environ['TQDM_DISABLE'] = '1'\nfor _ in progress_bar(range(4)): pass\n"
    assert shown(kernel, loop + "del os.environ['TQDM_DISABLE']") == []


def test_outside_a_notebook_it_is_the_loop_alone(monkeypatch, capsys):
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    monkeypatch.setattr("tfcourse.training.bars.WAIT", 0.0)
    assert list(progress_bar(range(3))) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")
