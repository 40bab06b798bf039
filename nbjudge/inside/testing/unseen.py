"""What is told of a learner's code where it is called with what the learner may not see.

Whatever a learner's process says in words could hold the inputs of a hidden test: an error's text,
the names of parameters, the name of a type. So of a hidden test no words of theirs are told, but a
sentence of ours. Their process says which one, and the few facts that are held to a list here.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Any

from nbjudge.inside.kinds import KINDS
from nbjudge.inside.testing.errors import HINTS
from nbjudge.inside.wire import IN_A_HIDDEN_TEST

#: By a key that comes over the wire, what is told; ``{name}`` is what the test calls their code.
SENTENCES = {
    "stub": (
        "`{name}` is not written yet: its cell still has the stub, or has not run without an error "
        "since."
    ),
    "inputs": (
        "`{name}` changes one of its inputs: whoever called it finds other numbers there "
        "afterwards. Look for `+=`, assignments such as `x[...] = ...`, and methods that end in "
        "an underscore."
    ),
    "class": "`{name}` must be a class that derives from nn.Module.",
    "module": "`{name}` must return an nn.Module.",
    "parameters": (
        "The parameters of `{name}` are not the expected ones: compare their names and "
        "their shapes, and wrap each in nn.Parameter."
    ),
    "no parameters": "`{name}` has no parameters: nothing in it could be trained.",
    "cut off": (
        "No gradient flows back through `{name}`: its result is cut off from the inputs. "
        "Numbers that pass through .item(), .tolist(), .detach(), .numpy(), torch.tensor(...) "
        "or torch.no_grad() forget where they came from; nothing could be trained through it."
    ),
    "backwards": (
        "Going backwards through `{name}` fails. Something that the gradient needs was "
        "overwritten: write `a = a + b` for `a += b`."
    ),
    "result": "`{name}` returns something of another type or shape than the test asks for.",
    "closed": (
        "`{name}` calls something that is not available where this problem set is graded. Follow "
        "the formula with PyTorch's public functions on tensors."
    ),
}

#: What is told for any other key.
OTHERWISE = "What `{name}` gives back cannot be used: return tensors or plain numbers."

#: Python's own errors by name; any other is called by the nearest of them that it derives from.
ERRORS = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}

#: So many letters in a row that are theirs are a quotation.
QUOTED = 6

#: No cell has more lines than this.
MOST_LINES = 100_000


def about_error(error: BaseException, hint: str, line: int) -> dict[str, Any]:
    """What a learner's process says of an error: its kind, one of our hints, the line."""
    names = {kind: name for name, kind in ERRORS.items()}
    nearest = next((names[kind] for kind in type(error).__mro__ if kind in names), "Exception")
    hints = list(HINTS.values())
    number = hints.index(hint) if hint in hints else -1
    return {"key": "error", "error": nearest, "hint": number, "line": line}


def told(name: str, about: object) -> str:
    """The sentence for what a learner's process says of itself.

    It believes no more than a choice from our lists and the number of a line.

    Parameters
    ----------
    name:
        What the test calls the learner's code.
    about:
        What came over the wire.
    """
    about = about if type(about) is dict else {}
    key = about.get("key")
    if type(key) is not str:
        return OTHERWISE.format(name=name)
    if key == "error":
        return _error(name, about)
    if key in KINDS:
        called = about.get("calls")
        known = type(called) is str and called in {"@", *KINDS[key].torch_functions}
        what = f"`{called}`" if known else f"`{name}` calls something that"
        return f"{what} {KINDS[key].why}"
    return SENTENCES.get(key, OTHERWISE).format(name=name)


def without(text: str, heard: Iterable[str]) -> str:
    """A test's own message without what it quotes of the learner's words.

    Parameters
    ----------
    text:
        The message.
    heard:
        What the learner's process has said.
    """
    for said in dict.fromkeys(heard):
        while True:
            same = SequenceMatcher(None, text, said, autojunk=False).find_longest_match()
            if same.size < QUOTED:
                break
            text = f"{text[: same.a]}…{text[same.a + same.size :]}"
    return text


def kind_of_error(about: object) -> type[Exception]:
    """The kind of error that a learner's process says its code raised: one of Python's own."""
    name = about.get("error") if type(about) is dict else ""
    kind = ERRORS.get(name, Exception) if type(name) is str else Exception
    return kind if issubclass(kind, Exception) else Exception


def _error(name: str, about: dict) -> str:
    error, hint, line = about.get("error"), about.get("hint"), about.get("line")
    error = error if type(error) is str and error in ERRORS else "Exception"
    lines = [f"`{name}` stops with {error}{IN_A_HIDDEN_TEST}"]
    if type(hint) is int and 0 <= hint < len(HINTS):
        lines.append(list(HINTS.values())[hint])
    if type(line) is int and 0 < line < MOST_LINES:
        lines.append(f"  line {line} of the cell")
    return "\n".join(lines)
