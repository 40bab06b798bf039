"""One line of a solution broken, in ways that nobody thought of when the tests were written.

For each problem set: the piece, a text that stands once in the piece's solution, and what it is
changed to. The grader must say of each that this piece is wrong, and no other.
"""

from __future__ import annotations

from typing import NamedTuple


class Breakage(NamedTuple):
    """``old`` becomes ``new`` in the solution of ``piece``."""

    piece: str
    old: str
    new: str


BREAKAGES: dict[str, list[Breakage]] = {
    "ps05-self-attention": [
        Breakage("attention-loop", "for k in K]", "for k in Q]"),
        Breakage("attention-loop", "zip(weights, V)", "zip(weights, V.flip(0))"),
        Breakage("attention-loop", "(q * k).sum()", "(q + k).sum()"),
        Breakage("attention-loop", "scores.softmax(dim=0)", "scores.abs().softmax(dim=0)"),
        Breakage("attention-matrix", "Q @ K.transpose(-2, -1)", "Q @ V.transpose(-2, -1)"),
        Breakage("attention-matrix", "scores.softmax(dim=-1)", "scores.log_softmax(dim=-1)"),
        Breakage("attention-matrix", "weights @ V, weights", "V.mT @ weights.mT, weights"),
        Breakage("attention-matrix", "scores.softmax(dim=-1)", "scores.float().softmax(dim=-1)"),
        Breakage("scaling", "d_k = Q.shape[-1]", "d_k = Q.shape[-2]"),
        Breakage("scaling", "/ math.sqrt(d_k)\n", "/ math.log(d_k)\n"),
        Breakage("scaling", "sigma_k * math.sqrt(d_k)", "sigma_q * math.sqrt(d_k)"),
        Breakage(
            "masks", "return torch.ones(T, T, dtype=torch.bool).tril()", "return torch.eye(T) > 0"
        ),
        Breakage("masks", "real = torch.arange(S) <", "real = torch.arange(S) + 1 <"),
        Breakage("masks", "return causal & real", "return causal ^ real"),
        Breakage("masked-attention", "math.sqrt(Q.shape[-1])", "math.sqrt(V.shape[-1])"),
        Breakage(
            "masked-attention", "lowest = torch.finfo(scores.dtype).min", "lowest = scores.min()"
        ),
        Breakage("masked-attention", "scores.softmax(dim=-1), 0.0", "scores.softmax(dim=-1), 1e-3"),
        Breakage(
            "self-attention",
            "d_model, d_k) * std)\n        self.W_V",
            "d_model, d_v) * std)\n        self.W_V",
        ),
        Breakage("self-attention", "x @ self.W_K, x @ self.W_V", "x @ self.W_Q, x @ self.W_V"),
        Breakage("self-attention", "~mask, -math.inf", "mask, -math.inf"),
        Breakage("self-attention", "scores.softmax(dim=-1)", "scores.sigmoid()"),
        Breakage("bug", "torch.arange(S - T, S)", "torch.arange(T)"),
        Breakage("bug", "torch.arange(S) > place", "torch.arange(S) >= place + 2"),
        Breakage("bug", "[past, x], dim=1", "[x, past], dim=1"),
        Breakage("choices", '"aceghm"', '"aceghim"'),
        Breakage("choices", '"aceghm"', '"acegh"'),
    ]
}
