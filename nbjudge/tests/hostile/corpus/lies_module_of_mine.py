"""A module whose parameters are what they are asked to be, though nothing is one.

kind: objects that lie
honest: 0
exercise: shift
"""


class Shift(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

    def named_parameters(self, *args, **kwargs):
        yield "bias", torch.zeros(self.width)

    def to(self, *args, **kwargs):
        return self

    def forward(self, x):
        return x * 1
