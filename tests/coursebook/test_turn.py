"""What a lesson says to a learner's own lines."""

import pytest
import torch

from coursebook.turn import check

ROW = torch.tensor([1.0, 2.0])


@pytest.mark.parametrize(
    ("answer", "right", "told"),
    [
        (..., ROW, "Your turn: replace the dots above"),
        (ROW + 1e-5, ROW, "Well done."),
        (ROW.double(), ROW, "Well done."),
        (ROW + 0.01, ROW, "Not yet."),
        (-ROW, ROW, "The sign is wrong."),
        (ROW[None], ROW, r"The shape should be (2,), and yours is (1, 2)."),
        ([1.0, 2.0], ROW, "The answer should be a tensor of shape (2,)."),
        (34, 34, "Well done."),
        (40, 34, "Not yet."),
        (0.5, 0.5004, "Well done."),
        ("34", 34, "Not yet."),
        (58, 57.665, "Well done."),
        ((0.001, 57.67), (0.5**10, 57.665), "Well done."),
        (57, 57.665, "Not yet."),
        (60.0, 57.665, "Not yet."),
        (6, 5.7, "Not yet."),
        (True, 0.6, "Not yet."),
        (["gin"], ["gin"], "Well done."),
    ],
)
def test_each_answer_hears_what_it_needs(answer, right, told, capsys):
    check(answer, right, said="Well done.", hints=[(-ROW, "The sign is wrong.")])
    assert capsys.readouterr().out.startswith(told)
