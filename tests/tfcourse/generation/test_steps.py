"""Steps after the first skip the checks that it has passed; nothing else does."""

import threading

import pytest
import torch

from tfcourse import arguments
from tfcourse.generation import beam_search, greedy, sample
from tfcourse.layers import FeedForward, LayerNorm
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.modes import direct_attributes, is_plain


def model():
    torch.manual_seed(0)
    return GPT(GPTConfig(11, context_length=12, num_layers=2, num_heads=2, d_model=8))


WRITERS = {
    "greedy": greedy,
    "sample": sample,
    "beam_search": lambda *given, **more: beam_search(*given, num_beams=2, **more),
}
writers = pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)


def complaints():
    """Errors of layers called directly with tokens of a wrong width or rank."""
    found = []
    for call in (
        lambda: LayerNorm(8)(torch.zeros(1, 2, 7)),
        lambda: FeedForward(8)(torch.zeros(1, 2, 7)),
        lambda: model()(torch.zeros(3, dtype=torch.long)),
    ):
        try:
            call()
        except ValueError as error:
            found.append(str(error))
    return found


@writers
def test_checks_are_skipped_after_the_first_step_only(write):
    gpt, skipped = model(), []
    gpt.register_forward_pre_hook(lambda *_: skipped.append(bool(arguments._CHECKED)))
    write(gpt, torch.tensor([[1, 2]]), max_new_tokens=4)
    assert skipped == [False, True, True, True]
    assert not arguments._CHECKED


def test_layers_called_directly_still_check(plainly):
    gpt, seen = model(), []

    def elsewhere(*_):
        if arguments._CHECKED:
            thread = threading.Thread(target=lambda: seen.append(complaints()))
            thread.start()
            thread.join()

    gpt.register_forward_pre_hook(elsewhere)
    greedy(gpt, torch.tensor([[1]]), max_new_tokens=2)
    [during] = seen
    assert len(during) == 3
    assert during == complaints()  # afterwards in this thread, as in another one meanwhile


@writers
@pytest.mark.parametrize(
    ("prompt", "new", "message"),
    [
        (torch.tensor([1, 2]), 2, r"prompt must be ids \(B, T\)"),
        (torch.tensor([[1, 11]]), 2, "tokens must lie between 0 and 10"),
        (torch.tensor([[1.0, 2.0]]), 2, "tokens must be integers"),
        (torch.tensor([[1, 2]]), 12, "must stay within the model's 12 positions"),
    ],
)
def test_a_bad_prompt_has_its_error_and_leaves_the_checks_on(write, prompt, new, message, plainly):
    gpt = model()
    with pytest.raises(ValueError, match=message):
        write(gpt, prompt, max_new_tokens=new)
    assert len(complaints()) == 3
    assert "weight" not in vars(gpt.embedding)


def test_a_step_that_fails_leaves_the_checks_on():
    gpt, calls = model(), []

    def fails(*_):
        calls.append(None)
        if len(calls) == 2:
            raise RuntimeError("a hook of the reader's")

    gpt.register_forward_pre_hook(fails)
    with pytest.raises(RuntimeError, match="a hook"):
        greedy(gpt, torch.tensor([[1]]), max_new_tokens=3)
    assert not arguments._CHECKED
    assert "W_O" not in vars(gpt.blocks[0].attention)


def test_the_readers_own_decoder_is_checked_at_each_step(plainly):
    layer = LayerNorm(8)

    class Narrow:
        def __init__(self):
            self.width = 8

        def read(self, tokens):
            logits = layer(torch.zeros(len(tokens), self.width))
            self.width = 7
            return logits

        def reorder(self, rows):
            pass

    with pytest.raises(ValueError, match="x must have d_model=8 numbers for each token, got 7"):
        greedy(Narrow(), torch.tensor([[1]]), max_new_tokens=3)


def test_parameters_are_direct_only_within():
    gpt = model()
    attention = gpt.blocks[0].attention
    new = torch.nn.Parameter(torch.zeros_like(attention.W_O))
    with direct_attributes(gpt):
        assert vars(attention)["W_O"] is attention.W_O
        attention.W_O = new  # assigning replaces it in both places
        assert attention.W_O is new
        with direct_attributes(gpt):
            pass
        assert vars(attention)["W_QKV"] is attention.W_QKV
    assert not {"W_O", "W_QKV", "b_O"} & set(vars(attention))
    assert attention.W_O is new and dict(attention.named_parameters())["W_O"] is new


def test_a_compiled_or_wrapped_part_is_not_plain():
    gpt = model()
    assert is_plain(gpt) and not is_plain(lambda x: x)
    assert not is_plain(torch.nn.DataParallel(gpt))
    gpt.blocks[1].compile(backend="eager")
    assert not is_plain(gpt)
    with direct_attributes(gpt):
        assert "weight" not in vars(gpt.embedding)
