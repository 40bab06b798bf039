"""Attention in recurrent translation: a decoder state attends to the source states."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from tfcourse.arguments import at_least_one, one_of, same_batch, width
from tfcourse.attention import average_by_scores


class AdditiveAttention(nn.Module):
    r"""Bahdanau's attention: a small network scores each source state against the decoder state.

    .. math:: e_{ij} = \tanh(s_i W_a + h_j U_a)\, v_a, \qquad
              c_i = \sum_j \operatorname{softmax}_j(e_{ij})\, h_j

    ``d_query`` and ``d_key`` are the widths of the decoder and source states; ``d_hidden``, the
    width of the scoring network, defaults to ``d_query``.

    Attributes
    ----------
    W_a, U_a, v_a:
        ``(d_query, d_hidden)``, ``(d_key, d_hidden)`` and ``(d_hidden,)``.

    Notes
    -----
    Bahdanau et al. 2015, section 3.1 and appendix A.1.2; KA "Encoder-Decoder Models With
    Attention"; 224N section 1.2.
    """

    def __init__(self, d_query: int, d_key: int, d_hidden: int | None = None) -> None:
        super().__init__()
        d_hidden = d_query if d_hidden is None else d_hidden
        at_least_one(d_query=d_query, d_key=d_key, d_hidden=d_hidden)
        self.W_a = nn.Parameter(torch.empty(d_query, d_hidden))
        self.U_a = nn.Parameter(torch.empty(d_key, d_hidden))
        self.v_a = nn.Parameter(torch.empty(d_hidden))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise the weights."""
        nn.init.xavier_uniform_(self.W_a)
        nn.init.xavier_uniform_(self.U_a)
        nn.init.normal_(self.v_a, std=self.v_a.numel() ** -0.5)

    def project_keys(self, keys: Float[Tensor, "B S Dk"]) -> Float[Tensor, "B S A"]:
        """``h_j U_a``, computed once per sentence: it is the same at every decoder step."""
        return keys @ self.U_a

    def forward(
        self,
        query: Float[Tensor, "B T Dq"],
        keys: Float[Tensor, "B S Dk"],
        mask: Bool[Tensor, "B #T S"] | None = None,
        *,
        projected: Float[Tensor, "B S A"] | None = None,
    ) -> tuple[Float[Tensor, "B T Dk"], Float[Tensor, "B T S"]]:
        """Average the source states for each query; return the context and the weights.

        The keys are also the values. ``mask`` is ``True`` for keys that may be attended to; a query
        with no such key gives zeros. ``projected`` is the result of :meth:`project_keys`, computed
        if omitted.
        """
        width("query", query, d_query=len(self.W_a))
        width("keys", keys, d_key=len(self.U_a))
        same_batch(query=query, keys=keys)
        projected = self.project_keys(keys) if projected is None else projected
        hidden = torch.tanh((query @ self.W_a)[:, :, None, :] + projected[:, None, :, :])
        return average_by_scores(hidden @ self.v_a, keys, mask)  # scores (B, T, S)


class DotAttention(nn.Module):
    r"""Luong's attention: a dot product, direct or through a learned matrix.

    .. math:: e_{ij} = s_i \cdot h_j \quad (\text{dot}) \qquad
              e_{ij} = s_i W_a \cdot h_j \quad (\text{general})

    ``score`` is ``"dot"``, which needs equal widths, or ``"general"``, which learns ``W_a`` of
    shape ``(d_query, d_key)``.

    Notes
    -----
    Luong et al. 2015, section 3.1. The paper's third score, *concat*, multiplies the concatenated
    states ``[s_i; h_j]`` by one matrix. Its halves are the ``W_a`` and ``U_a`` of
    :class:`AdditiveAttention`, so the two are the same.
    """

    W_a: nn.Parameter | None

    def __init__(self, d_query: int, d_key: int, score: str = "general") -> None:
        super().__init__()
        at_least_one(d_query=d_query, d_key=d_key)
        one_of(("dot", "general"), score=score)
        if score == "dot" and d_query != d_key:
            raise ValueError(
                f'd_query and d_key must be the same for score="dot", got {d_query} and {d_key}'
            )
        self.d_query, self.d_key = d_query, d_key
        general = score == "general"
        self.W_a = nn.Parameter(torch.empty(d_query, d_key)) if general else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise the matrix, if there is one."""
        if self.W_a is not None:
            nn.init.xavier_uniform_(self.W_a)

    def forward(
        self,
        query: Float[Tensor, "B T Dq"],
        keys: Float[Tensor, "B S Dk"],
        mask: Bool[Tensor, "B #T S"] | None = None,
    ) -> tuple[Float[Tensor, "B T Dk"], Float[Tensor, "B T S"]]:
        """Average the source states for each query, as in :meth:`AdditiveAttention.forward`."""
        width("query", query, d_query=self.d_query)
        width("keys", keys, d_key=self.d_key)
        same_batch(query=query, keys=keys)
        query = query if self.W_a is None else query @ self.W_a
        return average_by_scores(query @ keys.mT, keys, mask)


class AttentionPooling(nn.Module):
    r"""Pool a sequence into one vector per learned query: an average weighted by attention.

    .. math:: r_j = v \cdot \tanh(x_j W + b), \qquad a = \operatorname{softmax}(r), \qquad
              o = \sum_j a_j x_j

    Parameters
    ----------
    d_model, queries:
        Width of the tokens, and number of learned queries.
    hidden:
        Width of the transformed tokens that the queries score; with ``None`` they score the tokens
        themselves, as in UCB's first form.

    Attributes
    ----------
    v, W, b:
        ``(queries, hidden)``, ``(d_model, hidden)`` and ``(hidden,)``; without ``hidden``,
        ``(queries, d_model)``, ``None`` and ``None``.

    Notes
    -----
    UCB "Attention" ("important word" vector, its variations); Yang et al. 2016, equations (5) to
    (7).
    """

    W: nn.Parameter | None
    b: nn.Parameter  #: ``None`` in a layer without ``W``.

    def __init__(self, d_model: int, queries: int = 1, hidden: int | None = None) -> None:
        super().__init__()
        at_least_one(d_model=d_model, queries=queries, hidden=1 if hidden is None else hidden)
        self.d_model = d_model
        self.v = nn.Parameter(torch.empty(queries, d_model if hidden is None else hidden))
        W = None if hidden is None else nn.Parameter(torch.empty(d_model, hidden))
        b = None if hidden is None else nn.Parameter(torch.empty(hidden))
        self.register_parameter("W", W)
        self.register_parameter("b", b)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise the queries and the matrix."""
        nn.init.normal_(self.v, std=self.v.shape[1] ** -0.5)
        if self.W is not None and self.b is not None:
            nn.init.xavier_uniform_(self.W)
            nn.init.zeros_(self.b)

    def forward(
        self, x: Float[Tensor, "B S D"], mask: Bool[Tensor, "B 1 S"] | None = None
    ) -> tuple[Float[Tensor, "B Nq D"], Float[Tensor, "B Nq S"]]:
        """Average the tokens once per query; return the averages and the weights.

        ``mask`` is ``True`` at real tokens; an empty document gives zeros.
        """
        width("x", x, d_model=self.d_model)
        met = x if self.W is None else torch.tanh(x @ self.W + self.b)
        return average_by_scores(self.v @ met.mT, x, mask)
