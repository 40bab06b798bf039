"""Tells of modules that it never made, and of parameters and gradients that nothing has.

kind: the wire
honest: 0
exercise: shift
"""

from nbjudge.inside.testing import learner

seen = []


def build(cls, args, kwargs, weights):
    seen.append(weights)
    return weights


learner.VERBS.update(
    build=build,
    parameter_values=lambda module: {"bias": module["bias"] + 0.001} if module else {},
    parameter_gradients=lambda *args: {"bias": torch.ones(3), "also": torch.ones(3)},
    call=lambda *args: torch.zeros(3),
    mode=lambda module: "both",
)


class Shift(nn.Module):
    pass
