"""The language of test cells: what tests may do with a learner's work, and say about it.

A test cell touches what a learner wrote only through the *verbs*, which pass copies in and return
copies. So a cell behaves the same in the learner's own notebook and where the learner's code runs
in another process. The *checks* compare what came back, and raise a :class:`Mistake` that says
what is wrong and where to look.

======================  ===================================================================
verbs                   :func:`call`, :func:`value`, :func:`inputs_after`,
                        :func:`gradients`, :func:`build`, :func:`parameter_shapes`,
                        :func:`parameter_values`, :func:`parameter_gradients`,
                        :func:`switch`, :func:`mode`
checks                  :func:`equal`, :func:`close`, :func:`shaped`, :func:`unpacked`,
                        :func:`distribution`, :func:`same_gradients`,
                        :func:`same_parameter_gradients`, :func:`untouched`, :func:`require`
multiple choice         :func:`choices`, :func:`answered`
inputs of hidden tests  :func:`fresh`
what is not allowed     :func:`by_hand`
files beside the work   :func:`enclosed`
numbers to compare      :func:`measured`
points in a notebook    :func:`points_so_far`
======================  ===================================================================

The functions for tensors and modules exist if the course's values are PyTorch's.
"""

from nbjudge.inside.testing.by_hand import by_hand
from nbjudge.inside.testing.checks import equal, require, unpacked, untouched
from nbjudge.inside.testing.choices import answered, choices
from nbjudge.inside.testing.enclosed import enclosed
from nbjudge.inside.testing.fresh import fresh
from nbjudge.inside.testing.measured import measured
from nbjudge.inside.testing.mistake import Mistake
from nbjudge.inside.testing.passing import points_so_far, speak_in_a_notebook
from nbjudge.inside.testing.verbs import call, inputs_after, value
from nbjudge.inside.values import torch

__all__ = [
    "Mistake",
    "answered",
    "by_hand",
    "call",
    "choices",
    "enclosed",
    "equal",
    "fresh",
    "inputs_after",
    "measured",
    "points_so_far",
    "require",
    "unpacked",
    "untouched",
    "value",
]

if torch is not None:
    from nbjudge.inside.testing.checks import (
        close,
        distribution,
        same_gradients,
        same_parameter_gradients,
        shaped,
    )
    from nbjudge.inside.testing.modules import (
        build,
        mode,
        parameter_gradients,
        parameter_shapes,
        parameter_values,
        switch,
    )
    from nbjudge.inside.testing.verbs import gradients

    __all__ += [
        "build",
        "close",
        "distribution",
        "gradients",
        "mode",
        "parameter_gradients",
        "parameter_shapes",
        "parameter_values",
        "same_gradients",
        "same_parameter_gradients",
        "shaped",
        "switch",
    ]

speak_in_a_notebook()
