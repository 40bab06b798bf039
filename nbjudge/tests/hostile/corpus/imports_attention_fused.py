"""PyTorch's own attention, in the common spelling.

kind: torch, numpy, builtins, imports
honest: 0
once: got through
exercise: attend
seen: scaled_dot_product_attention
"""


def attend(Q, K, V):
    return torch.nn.functional.scaled_dot_product_attention(Q, K, V)
