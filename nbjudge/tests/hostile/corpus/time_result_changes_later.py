"""Gives a tensor whose memory is changed while it is looked at.

kind: time
honest: 0
exercise: attend
"""

import threading

store = torch.zeros(64)


def stir():
    while True:
        store.uniform_(-1, 1)


threading.Thread(target=stir, daemon=True).start()


def attend(Q, K, V):
    shape = (*Q.shape[:-1], V.shape[-1])
    count = torch.Size(shape).numel()
    return store[:count].view(shape) + 0 * (Q.sum() + K.sum() + V.sum())
