"""What must be true of a block of a transformer, as assertions for any module, a learner's too.

Each takes a module (or a plain function) that maps tokens ``(B, T, D)``, or token ids ``(B, T)``,
to outputs ``(B, T, ...)``; of a tuple the first entry counts. Random parts (dropout) are given the
same seed at every call, so they may be on unless a property says otherwise. Each raises an
:class:`AssertionError` that says what moved, by how much, and what to look at.
"""

from tfcourse.properties.gradients import assert_gradients_reach_every_parameter
from tfcourse.properties.order import (
    assert_causal,
    assert_permutation_equivariant,
    assert_shift_invariant,
)
from tfcourse.properties.padding import assert_padding_invariant
from tfcourse.properties.shapes import assert_shapes
from tfcourse.properties.state import assert_same_in_train_and_eval, assert_stateless

__all__ = [
    "assert_causal",
    "assert_gradients_reach_every_parameter",
    "assert_padding_invariant",
    "assert_permutation_equivariant",
    "assert_same_in_train_and_eval",
    "assert_shapes",
    "assert_shift_invariant",
    "assert_stateless",
]
