"""Hierarchical attention: over the words of each sentence, then over the sentences."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor, nn

from tfcourse.alignment import AttentionPooling
from tfcourse.arguments import axes, check_tensors
from tfcourse.attention import affine, padding_mask
from tfcourse.models.classifiers.pooling import DocumentClassifier
from tfcourse.models.common import Config, Output, look_up
from tfcourse.recurrent import GRUCell, Recurrent


@dataclass(frozen=True)
class HierarchicalConfig(Config):
    """Sizes of a :class:`HierarchicalClassifier`; the defaults are the paper's.

    Attributes
    ----------
    vocab_size, classes, d_model:
        As in :class:`PoolingConfig`.
    d_hidden:
        Width of each direction of the GRU over words, and of the one over sentences.
    hidden:
        Width of what the queries score; defaults to ``2 d_hidden``.
    dropout:
        Dropout in training, applied to the embeddings and to the document's vector.
    """

    vocab_size: int
    classes: int = 2
    d_model: int = 200
    d_hidden: int = 50
    hidden: int | None = None
    dropout: float = 0.0


class HierarchicalClassifier(DocumentClassifier):
    r"""Pool words into sentences, and sentences into a document, by a GRU and attention each time.

    .. math::
        h_{it} &= \operatorname{BiGRU}(x_{it}), & s_i &= \sum_t \alpha_{it}\, h_{it}, &
            \alpha_i &= \softmax_t(u_w \cdot \tanh(h_{it} W_w + b_w)) \\
        h_i &= \operatorname{BiGRU}(s_i), & v &= \sum_i \alpha_i\, h_i, &
            \alpha &= \softmax_i(u_s \cdot \tanh(h_i W_s + b_s))

    and :math:`\text{logits} = v W + b`.

    Attributes
    ----------
    embedding, word_gru, word_pool, sentence_gru, sentence_pool:
        The parts, from the bottom up. A pool's ``v``, ``W`` and ``b`` are u and its own W and b.
    W, b:
        ``(2 d_hidden, classes)`` and ``(classes,)``.

    Notes
    -----
    UCB "Attention": its figure of hierarchical attention; Yang et al. 2016, equations (5) to (11).
    """

    def __init__(self, config: HierarchicalConfig) -> None:
        super().__init__()
        self.config = config
        D, both = config.d_model, 2 * config.d_hidden
        hidden = both if config.hidden is None else config.hidden
        self.embedding = nn.Embedding(config.vocab_size, D)
        self.word_gru = Recurrent(GRUCell, D, config.d_hidden, bidirectional=True)
        self.word_pool = AttentionPooling(both, 1, hidden)
        self.sentence_gru = Recurrent(GRUCell, both, config.d_hidden, bidirectional=True)
        self.sentence_pool = AttentionPooling(both, 1, hidden)
        self.W = nn.Parameter(torch.empty(both, config.classes))
        self.b = nn.Parameter(torch.empty(config.classes))
        self.reset_parameters()

    def forward(
        self,
        tokens: Int[Tensor, "B N S"],
        lengths: Int[Tensor, "B N"] | None = None,
        *,
        return_weights: bool = False,
        fused: bool = True,
    ) -> Output:
        """Score the classes of each document of N sentences of S words, ``(B, classes)``.

        ``lengths`` are the numbers of words in each sentence, by default ``S``. A document ends
        with its last sentence that has words; what follows is padding. ``return_weights`` returns
        the weights of the words in their sentences, ``"words"`` ``(B, N, 1, S)``, and of the
        sentences, ``"sentences"`` ``(B, 1, 1, N)``; one each. With ``fused`` PyTorch's kernels run
        the GRUs. Impossible ids and lengths, or ``N`` or ``S`` of 0, raise ``ValueError``.
        """
        axes("tokens", tokens, "B N S")
        check_tensors(lengths=lengths)
        B, N, S = tokens.shape
        if not N * S:
            raise ValueError(f"tokens must have at least one sentence and word, got {(B, N, S)}")
        if lengths is None:
            lengths = tokens.new_full((B, N), S)
        elif lengths.shape != (B, N):
            raise ValueError(f"lengths must be {(B, N)}, got {tuple(lengths.shape)}")
        words = lengths.flatten()  # (B N,)
        numbered = torch.arange(1, N + 1, device=lengths.device)
        sentences = (numbered * (lengths > 0)).amax(dim=1)  # the last one that has words

        x = look_up(self.embedding, tokens, "tokens", "B N S")
        x = self.drop(x).flatten(0, 1)  # (B N, S, D)
        h, _ = self.word_gru(x, words, fused=fused)
        s, of_words = self.word_pool(h, padding_mask(words, S))  # (B N, 1, 2 Dh), (B N, 1, S)
        h, _ = self.sentence_gru(s.view(B, N, -1), sentences, fused=fused)
        v, of_sentences = self.sentence_pool(h, padding_mask(sentences, N))  # (B, 1, 2 Dh)
        logits = affine(self.drop(v[:, 0]), self.W, self.b)
        if not return_weights:
            return Output(logits)
        of_words = of_words.view(B, N, 1, S)
        return Output(logits, {"words": [of_words], "sentences": [of_sentences[:, None]]})
