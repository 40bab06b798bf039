"""What is reported about a learner's code when it is called with inputs the learner may not see.

Any text from a learner's process could contain the inputs of a hidden test: an error's message, the
names of parameters, the name of a type. So none of it is reported for a hidden test, only one of
our sentences. The process says which one, and a few facts that are checked against the lists here.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Any

from nbjudge.inside.program import program
from nbjudge.inside.testing.errors import HINTS
from nbjudge.inside.wire import IN_A_HIDDEN_TEST

#: Key sent over the wire → what is reported; ``{name}`` is the test's name for their code.
SENTENCES = {
    "stub": (
        "`{name}` is not written yet: its cell still has the stub, or has not run without an error "
        "since."
    ),
    "inputs": (
        "`{name}` changes one of its inputs: its caller finds other numbers there "
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
        "The backward pass through `{name}` fails. Something that the gradient needs was "
        "overwritten: write `a = a + b` for `a += b`."
    ),
    "result": "`{name}` returns something of another type or shape than the test expects.",
}

#: What is reported for any other key.
OTHERWISE = "The result of `{name}` cannot be used: return tensors or plain numbers."

#: Python's own errors by name; any other error is reported as the nearest of these it derives from.
ERRORS = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}

#: Minimum number of characters that count as a quotation of the learner's text.
QUOTED = 6

#: Line numbers from here on are not believed.
MOST_LINES = 100_000


def about_error(error: BaseException, hint: str, line: int) -> dict[str, Any]:
    """What a learner's process reports about an error: its kind, one of our hints, the line."""
    names = {kind: name for name, kind in ERRORS.items()}
    nearest = next((names[kind] for kind in type(error).__mro__ if kind in names), "Exception")
    hints = list(HINTS.values())
    number = hints.index(hint) if hint in hints else -1
    return {"key": "error", "error": nearest, "hint": number, "line": line}


def sentence(name: str, about: object) -> str:
    """The sentence for what a learner's process reports.

    Nothing is believed except a choice from our lists and a line number.

    Parameters
    ----------
    name:
        The test's name for the learner's code.
    about:
        The report that came over the wire.
    """
    about = about if type(about) is dict else {}
    key = about.get("key")
    if type(key) is not str:
        return OTHERWISE.format(name=name)
    if key == "error":
        return _error(name, about)
    if entry := program().forbidden.get(key):
        called = about.get("calls")
        known = type(called) is str and called in {"@", *entry.torch_functions}
        what = f"`{called}`" if known else f"`{name}` calls something that"
        return f"{what} {entry.why}"
    return SENTENCES.get(key, OTHERWISE).format(name=name)


def without(text: str, heard: Iterable[str]) -> str:
    """A test's own message without what it quotes from the learner's process.

    Parameters
    ----------
    text:
        The message.
    heard:
        The texts that the learner's process has sent.
    """
    for phrase in dict.fromkeys(heard):
        while True:
            same = SequenceMatcher(None, text, phrase, autojunk=False).find_longest_match()
            if same.size < QUOTED:
                break
            text = f"{text[: same.a]}…{text[same.a + same.size :]}"
    return text


def kind_of_error(about: object) -> type[Exception]:
    """The built-in error that a learner's process says its code raised."""
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
