"""Messages about errors whose cause stands in another cell of the learner's notebook."""

import json

import pytest
from nbformat.v4 import new_code_cell
from small_set import answered, cell, release_of, source_notebook

from nbjudge.intake.find import parse
from nbjudge.intake.merge import blank, merge
from nbjudge.judge.elsewhere import explained
from nbjudge.judge.messages import Finding

UNDEFINED = "`double` stops with NameError: name 'twice' is not defined\n  line 2 of the cell: ..."
CUT_OFF = "No gradient flows back through `double`: its result is cut off from the inputs. Numbers"


def message_for(course, notebook, says):
    release = release_of(course)
    handed = parse(json.dumps(notebook).encode()).cells
    merged_notebook, _ = merge(handed, blank(source_notebook(), release), release)
    return explained(Finding(error="Mistake", says=says), merged_notebook, "double--values").says


def test_a_helper_further_down_is_named(small_course):
    notebook = answered(small_course)
    notebook.cells.append(new_code_cell("def twice(x):\n    return 2 * x"))
    message = message_for(small_course, notebook, UNDEFINED)
    assert message.startswith(UNDEFINED + "\n")
    assert "`twice` is defined in a cell further down" in message


def test_a_helper_above_or_nowhere_is_not(small_course):
    notebook = answered(small_course)
    assert message_for(small_course, notebook, UNDEFINED) == UNDEFINED
    notebook.cells.insert(0, new_code_cell("def twice(x):\n    return 2 * x"))
    notebook.cells.append(new_code_cell("print(twice(3))"))
    assert message_for(small_course, notebook, UNDEFINED) == UNDEFINED


def test_an_import_added_to_a_locked_cell_is_named(small_course):
    notebook = answered(small_course)
    cell(notebook, "setup").source += "\nfrom helpers import twice"
    message = message_for(small_course, notebook, UNDEFINED)
    assert "only in the cell `setup`, which is locked" in message
    other = UNDEFINED.replace("twice", "thrice")
    assert message_for(small_course, notebook, other) == other


@pytest.mark.parametrize(
    "source", ["torch.set_grad_enabled(False)", "torch.autograd.set_grad_enabled(mode=False)"]
)
def test_a_switch_is_named_in_place_of_what_it_does(small_course, source):
    notebook = answered(small_course)
    notebook.cells.insert(0, new_code_cell(f"import torch\n{source}"))
    message = message_for(small_course, notebook, CUT_OFF)
    assert message.startswith(f"`{source}` in a cell of your own switches gradients off")
    assert message_for(small_course, notebook, UNDEFINED) == UNDEFINED


@pytest.mark.parametrize(
    "source",
    [
        "torch.set_grad_enabled(True)",
        "with torch.set_grad_enabled(False):\n    x = 1",
        "# torch.set_grad_enabled(False)",
        "def set_grad_enabled(",
    ],
)
def test_what_switches_nothing_off_for_good_is_not_blamed(small_course, source):
    notebook = answered(small_course)
    notebook.cells.insert(0, new_code_cell(source))
    assert message_for(small_course, notebook, CUT_OFF) == CUT_OFF
