"""What a cell's outputs say of why it stopped."""

from nbformat.v4 import new_code_cell

from nbjudge.judge import outcome
from nbjudge.judge.endings import FAILED


def test_an_error_that_was_lost_in_the_output_is_told_of():
    """A message that is too long closes the connection, and an error after it is never heard."""
    cell = new_code_cell("while True: print('x' * 10_000)")
    outcome.explain(cell, FAILED, 2.0)
    assert "stopped by an error" in outcome.why_stopped(cell)


def test_an_error_that_was_heard_stays_as_it_is():
    heard = outcome.error("ZeroDivisionError", "division by zero")
    cell = new_code_cell("1 / 0", outputs=[heard])
    outcome.explain(cell, FAILED, 2.0)
    assert cell.outputs == [heard]
