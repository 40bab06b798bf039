"""What lessons say to a class that a learner typed, and what they say of the numbers they print."""

import contextlib
import io
import linecache
import math
import re
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from coursebook import course
from coursebook.turn import check, check_code, same_weights

ROOT = course.root(Path(__file__).parent)


def cells(name: str) -> dict:
    notebook = nbformat.read(course.Lesson(ROOT, name).notebook, as_version=4)
    return {cell.id: cell for cell in notebook.cells}


# ---- what the learner types --------------------------------------------------------------------


class Typed(NamedTuple):
    """A cell to type in: what its check needs, right answers, and edits with what is said."""

    lesson: str
    turn: str
    before: tuple[str, ...]
    slips: dict[str, tuple[str, ...]]


GPT = Typed("09-decoder", "gpt", ("attention", "block"), {
    "The mask hides nothing": ("places[:, None] >= places", "places[:, None] >= 0 * places"),
    "Your mask looks ahead.": (">= places", "<= places"),
    "Your mask hides each token from itself.": (">= places", "> places"),
    "The positions are missing": (" + self.positions(places)", ""),
    "You look the positions up by the ids.": ("positions(places)", "positions(ids % 6)"),
    "The last norm is missing": ("self.norm(x) @", "x @"),
    "The norm comes after the blocks.": (
        "for block in", "x = self.norm(x)\n        for block in",
        "return self.norm(x)", "return x"),
    "These are the last vectors.": (" @ self.embedding.weight.T", ""),
    "Give back the logits, without": ("self.norm(x) @ self.embedding.weight.T",
                                      "(self.norm(x) @ self.embedding.weight.T).softmax(-1)"),
    "Line 15 stops with RuntimeError: mat1 and mat2": (".weight.T", ".weight"),
    "positions.weight should have the shape (6, 8), and yours has (20, 8)": (
        "nn.Embedding(context_length, d)", "nn.Embedding(vocab_size, d)"),
    "There is no norm.bias.": ("nn.LayerNorm(d)", "nn.Identity()"),
    "Not yet: tokens plus positions, blocks": ("x = self.embedding", "x = 2 * self.embedding"),
})  # fmt: skip

TRANSLATOR = Typed("11-encoder-decoder", "translator", (
    "attention", "encoder-block", "decoder-block", "waves", "translator"), {
    "Padding is seen.": ("source != PAD", "source >= PAD"),
    "Padding is seen. `real`": ("source != PAD", "source >= PAD", ".tril()", ""),  # and a second
    "`real` is the wrong way round": ("source != PAD", "source == PAD"),
    "Each word sees those to come": (".tril()", ""),
    "`past` is upside down": (".tril()", ".triu()"),
    "These are the last states.": (" @ self.E.weight.T", ""),
    "`says` is what the decoder reads.": ("target[:, 1:]", "target[:, :-1]"),
    "The decoder reads what it must say.": ("target[:, :-1]", "target[:, 1:]"),
    "`reads` and `says` are swapped.": ("reads, says =", "says, reads ="),
    "Line 14 stops with RuntimeError: ": ("y @ self.E.weight.T", "y @ self.E.weight"),
    "Line 3 stops with NameError: name 'sorce'": ("(source != PAD)", "(sorce != PAD)"),
    "Not yet: compare the masks": ("return y @", "return 2 * y @"),
})  # fmt: skip

PATCHIFY = Typed("12-vision", "patchify", ("loops",), {
    "These are rows of pixels": ("x.permute(0, 2, 4, 1, 3, 5)", "x"),
    "Your patches go down the columns.": ("0, 2, 4, 1, 3, 5", "0, 4, 2, 1, 3, 5"),
    "Each patch is transposed.": ("0, 2, 4, 1, 3, 5", "0, 2, 4, 1, 5, 3"),
    "The channels come last.": ("0, 2, 4, 1, 3, 5", "0, 2, 4, 3, 5, 1"),
    "Not yet. Compare `reshape`": ("X // P, P, Y // P, P", "P, X // P, P, Y // P"),
    "Line 3 stops with RuntimeError": ("Y // P, P)", "Y, P)"),
})  # fmt: skip

ENCODER = Typed("12-vision", "encoder", ("block",), {
    "The positions are missing.": ("x + self.positions", "x"),
    "[CLS] has no position.": (
        "x = self.first(words)", "x = self.first(words) + self.positions[1:]",
        "x + self.positions ", "x "),
    "[CLS] comes first: row 0": ("[self.cls.expand(len(x), 1, -1), x]",
                                 "[x, self.cls.expand(len(x), 1, -1)]", "x[:, 0]", "x[:, -1]"),
    "[CLS] comes first, and you read": ("[self.cls.expand(len(x), 1, -1), x]",
                                        "[x, self.cls.expand(len(x), 1, -1)]"),
    "The blocks are missing.": ("x = block(x, visible.to(x.device))", "pass"),
    "Your blocks ignore `visible`.": ("visible.to(x.device)", "torch.tensor(True)"),
    "That averages all tokens.": ("self.norm(x[:, 0])", "self.norm(x).mean(1)"),
    "That scores every token.": ("x[:, 0]", "x"),
    "That is the last patch.": ("x[:, 0]", "x[:, -1]"),
    "The last norm is missing": ("self.norm(x[:, 0])", "x[:, 0]"),
    "That is the state of [CLS].": ("self.score(self.norm(x[:, 0]))", "self.norm(x[:, 0])"),
    "positions should have the shape (5, 8), and yours has (4, 8)": ("length + 1", "length"),
    "There is no positions.": ("nn.Parameter(torch.randn(length + 1, d) / 2)",
                               "torch.randn(length + 1, d)"),
    "Line 12 stops with IndexError": ("self.cls.expand(len(x), 1, -1)", "self.cls"),
    "Not yet: `first`, then [CLS]": ("x + self.positions", "x - self.positions"),
})  # fmt: skip

HIDE = Typed("10-encoder", "hide", ("imports", "vocabulary"), {
    "Special tokens are chosen too": (" & (ids > MASK)", ""),
    "You replace words that were not chosen.": (
        "chosen & (kind < 0.8)", "kind < 0.8", "chosen & (kind > 0.9)", "kind > 0.9"),
    "All the chosen are asked": ("return read, chosen", "return read, chosen & (kind < 0.8)"),
    "A tenth of the chosen stays": ("chosen & (kind < 0.8)", "chosen"),
    "In the last tenth another word": ("chosen & (kind > 0.9), other, read",
                                       "chosen & (kind > 0.9), ids, read"),
    "Not yet: choose, then [MASK]": ("(kind > 0.9)", "(kind > 0.8)"),
})  # fmt: skip

ATTENTION = Typed("05-self-attention", "attention", (), {
    "The scores are not divided.": (" / Q.shape[-1] ** 0.5", ""),
    "You divide by d_k.": (" ** 0.5", ""),
    "That is the root of d_v.": ("/ Q.shape[-1]", "/ V.shape[-1]"),
    "Queries and keys are swapped.": ("Q @ K.mT", "K @ Q.mT"),
    "The mask has no effect.": ("A = A.masked_fill(", "A.masked_fill("),
    "The mask is the wrong way round": ("~mask", "mask"),
    "You mask after the softmax": ("A = A.masked_fill(~mask, -torch.inf)", "pass",
                                   "A.softmax(dim=-1)", "A.softmax(dim=-1) * mask"),
    "A score of 0 still gets weight.": ("-torch.inf", "0"),
    "Your softmax runs down": ("softmax(dim=-1)", "softmax(dim=0)"),
    "These are the weights.": ("return A_prime @ V", "return A_prime"),
    "You average the keys.": ("A_prime @ V", "A_prime @ K"),
    "Line 10 stops with RuntimeError": ("K.mT", "K"),
    "Not yet: project, compare": ("X @ self.W_Q", "2 * X @ self.W_Q"),
})  # fmt: skip

MERGE = Typed("06-multi-head", "merge", (), {
    "Your split mixes heads and words": ("reshape(len(Q), h, -1).transpose(0, 1)",
                                         "reshape(h, len(Q), -1)"),
    "Your split stops after the reshape.": ("-1).transpose(0, 1)", "-1)"),
    "Your split deals the columns out": ("(len(Q), h, -1).transpose(0, 1)",
                                         "(len(Q), -1, h).permute(2, 0, 1)"),
    "Your merge mixes heads and words.": ("O.transpose(0, 1).flatten(1)",
                                          "O.reshape(O.shape[1], -1)"),
    "Your merge only swaps the axes.": (".flatten(1)", ""),
    "Your merge lays the heads' first": ("O.transpose(0, 1)", "O.permute(1, 2, 0)"),
    "Both mix heads and words.": ("len(Q), h, -1).transpose(0, 1)", "h, len(Q), -1)",
                                  "O.transpose(0, 1).flatten(1)", "O.reshape(O.shape[1], -1)"),
    "Line 6 stops with IndexError": ("flatten(1)", "flatten(3)"),
    "Not yet: the split must cut": ("Q.reshape", "-Q.reshape"),
})  # fmt: skip

ROTATE = Typed("07-positions", "rotate", ("rope",), {
    "You pair the first half": ("slice(2 * r, 2 * r + 2)", "[r, r + d // 2]"),
    "Every row turns by one step.": ("turn(m * theta)", "turn(theta)"),
    "You turn back.": ("x[m, pair] @ turn(m * theta)", "turn(m * theta) @ x[m, pair]"),
    "Positions start at 0": ("turn(m * theta)", "turn((m + 1) * theta)"),
    "The slow pairs are too fast": ("-2 * r / d", "-r / d"),
    "The speeds grow.": ("-2 * r / d", "2 * r / d"),
    "Every pair turns at one speed.": ("10_000 ** (-2 * r / d)", "1"),
    "Line 7 stops with RuntimeError": ("2 * r + 2", "2 * r + 1"),
    "Not yet: pair 2r": ("m * theta)", "2 * m * theta)"),
})  # fmt: skip

FLASH = Typed("13-fast-attention", "flash", (), {
    "The old `l` is relative to": ("l = correction * l", "l = l"),
    "The old `acc` is relative to": ("acc = correction * acc", "acc = acc"),
    "The old `l` and `acc` are": ("l = correction * l", "l = l",
                                  "acc = correction * acc", "acc = acc"),
    "Divide `O` by l.": ("acc / l", "acc"),
    "`L` is m + log l: the largest": ("m + l.log()", "l.log()"),
    "`L` is m + log l: take": ("m + l.log()", "m + l"),
    "`L` is m + log l.": ("m + l.log()", "l"),
    "Line 14 stops with RuntimeError": ("P.sum(1, keepdim=True)", "P.sum(1)"),
    "Not yet. Compare line by line": ("P @ V", "2 * P @ V"),
})  # fmt: skip

TILES = Typed("13-fast-attention", "tiles", (), {
    "The output is right, but all": ("i + tile", "8"),
    "The tiles on the diagonal are missing": ("i + tile", "i"),
    "The output is right, but one tile too many": ("i + tile", "min(i + 2 * tile, 8)"),
    "Not yet: the last query": ("i + tile", "max(i - tile, 0)"),
})  # fmt: skip

TYPED = {
    one.turn: one
    for one in (
        ATTENTION, MERGE, ROTATE, GPT, HIDE, TRANSLATOR, PATCHIFY, ENCODER, FLASH, TILES,
    )
}  # fmt: skip


def run(source: str, known: dict) -> None:
    """Run a cell as Jupyter does: its source can be looked up."""
    name = f"<cell {len(linecache.cache)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), known)


def typed(one: Typed, written: str | None = None) -> dict:
    """What a lesson knows once this stands in the learner's cell; by default its dots do."""
    there = cells(one.lesson)
    known = {"torch": torch, "nn": nn, "F": F, "math": math, "check": check,
             "check_code": check_code, "same_weights": same_weights}  # fmt: skip
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            for name in one.before:
                run(there[name].source, known)
        run(written or there[f"your-turn-{one.turn}"].source, known)
        run(there[f"check-{one.turn}"].source, known)
    finally:
        torch.set_default_dtype(before)
    return known


def answer(one: Typed) -> str:
    return re.findall(r"```python\n(.*?)```", cells(one.lesson)[f"answer-{one.turn}"].source, re.S)[
        0
    ]


@pytest.mark.parametrize(
    ("one", "said", "edit"),
    [
        pytest.param(one, said, edit, id=f"{one.turn}-{said}")
        for one in TYPED.values()
        for said, edit in one.slips.items()
    ],
)
def test_a_check_names_the_line_of_each_usual_mistake(one, said, edit, capsys):
    written = answer(one)
    for old, new in zip(edit[::2], edit[1::2], strict=True):
        assert written.count(old) == 1
        written = written.replace(old, new)
    typed(one, written)
    assert capsys.readouterr().out.startswith(said)


@pytest.mark.parametrize("one", TYPED.values(), ids=TYPED)
def test_a_right_answer_is_right_and_dots_are_invited(one, capsys):
    typed(one, answer(one))
    assert capsys.readouterr().out.startswith("Right")
    typed(one)
    empty = cells(one.lesson)[f"your-turn-{one.turn}"].source.splitlines()
    lines = [n for n, line in enumerate(empty, 1) if "..." in line.split("#")[0]]
    said = f"Your turn: replace the dots in {listed(lines)}, then run both cells.\n"
    assert capsys.readouterr().out == said
    check = cells(one.lesson)[f"check-{one.turn}"]
    assert "".join(output.text for output in check.outputs) == said, "as stored"


def listed(lines: list[int]) -> str:
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(map(str, lines))}"


def test_what_the_learner_wrote_is_what_the_lesson_trains():
    known = typed(GPT, answer(GPT))
    assert known["GPT"] is known["MyGPT"]
    for written in (None, answer(GPT).replace(">= places", "> places")):
        known = typed(GPT, written)
        model, ids = known["GPT"](20, d=8, context_length=6), torch.tensor([[1, 2, 3]])
        assert known["GPT"] is not known["MyGPT"] and model(ids).shape == (1, 3, 20)


# ---- 08: a gradient's size and its direction ---------------------------------------------------


def test_a_gradients_size_and_direction_are_two_numbers_and_the_text_has_both():
    block = cells("08-block")
    (output,) = block["arriving"].outputs
    found = {}
    for line in output.text.splitlines():
        name, size, along = re.fullmatch(r"(.+?) +size (.*?) +along g (.*)", line).groups()
        found[name] = [[float(x) for x in row.split()] for row in (size, along)]
    text = block["your-turn-ten"].source
    (alone, neither), (normed, turned) = found["neither"], found["norm only"]
    (exploded, _), (whole, kept) = found["path only"], found["both"]
    assert max(alone) < 0.25 and "the gradient shrinks" in text
    assert sum(normed) > 3 * sum(alone) and "With a norm more arrives" in text
    assert min(turned) < 0, "a sign is printed"
    assert max(map(abs, neither + turned)) < 0.25
    assert min(exploded) > 1e5 and "it explodes" in text
    assert all(0.7 < share < 1.25 for share in kept) and "most of $g$ arrives" in text
    assert min(whole) > 2 and "The layers add a second part to $g'$" in text
    rest = [(size**2 - share**2) ** 0.5 for size, share in zip(whole, kept, strict=True)]
    assert round(max(rest)) == 7 and "up to seven times as long as $g$" in text
    assert "abs(" not in block["arriving"].source + block["through"].source
