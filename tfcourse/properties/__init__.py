"""Properties that a transformer block must have, as assertions for any module.

Each takes a module (or a plain function) that maps tokens ``(B, T, D)``, or token ids ``(B, T)``,
to outputs ``(B, T, ...)``; only the first entry of a tuple counts. Random parts (dropout) get the
same seed at every call, so they may be on unless a property says otherwise. Each raises an
:class:`AssertionError` that says what changed, by how much, and what to look at.
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
