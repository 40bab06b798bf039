"""The course's YAML files: read with a sentence for whoever wrote a fault into one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

#: What usually causes a fault, by a part of the parser's own words.
_HINTS = {
    "mapping values are not allowed": "a text with a colon in it must stand in quotes",
    "found character '\\t'": "indent with spaces, not with tabs",
    "while scanning a quoted scalar": "a quotation mark is opened and not closed",
    "while scanning an alias": "a text that begins with * must stand in quotes",
}


def read_yaml(path: Path, kind: type[dict] | type[list] = dict) -> Any:
    """What a YAML file holds: a mapping or, with ``kind=list``, a list.

    Raises
    ------
    ValueError
        If the file is not YAML, naming the file, the line and what is wrong there; or if it holds
        something of another kind.
    """
    return parse_yaml(path.read_text("utf-8"), str(path), kind)


def parse_yaml(text: str, name: str, kind: type[dict] | type[list] = dict) -> Any:
    """The same for a text; errors call it ``name``."""
    try:
        found = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        raise ValueError(_sentence(error, name)) from None
    except yaml.YAMLError as error:  # a character that YAML does not allow
        raise ValueError(f"{name} must be YAML: {str(error).splitlines()[0]}") from None
    if not isinstance(found, kind):
        wanted = "names with values" if kind is dict else "a list"
        raise ValueError(f"{name}, line 1: it must hold {wanted}, got {found!r:.60}")
    return found


def _sentence(error: yaml.MarkedYAMLError, name: str) -> str:
    mark = error.problem_mark or error.context_mark
    line = "" if mark is None else f", line {mark.line + 1}"
    told = error.problem or error.context or "it is not YAML"
    words = f"{error.context} {error.problem}"
    hint = next((f"; {hint}" for part, hint in _HINTS.items() if part in words), "")
    return f"{name}{line}: {told}{hint}"
