"""Small models with random weights, one of each kind that generates, and their inputs."""

import torch
import torch_layout as layout

from tfcourse.generation import beam_search
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.models.recurrent_lm import RecurrentLM, RecurrentLMConfig
from tfcourse.models.seq2seq import Seq2Seq, Seq2SeqConfig
from tfcourse.models.transformer import Transformer, TransformerConfig

V, END = 9, 2
GPT_SIZES = {"num_layers": 2, "num_heads": 2, "d_model": 8, "context_length": 16}
TRANSFORMER_SIZES = {
    "num_encoder_layers": 2, "num_decoder_layers": 2, "num_heads": 2, "d_model": 8,
    "context_length": 16, "dropout": 0.1,
}  # fmt: skip
SEQ2SEQ_SIZES = {"d_model": 6, "d_hidden": 8}

#: Each takes a size of the vocabulary.
MODELS = {
    **{
        f"gpt {positions}": lambda v, p=positions: GPT(GPTConfig(v, positions=p, **GPT_SIZES))
        for positions in ("learned", "sinusoidal", "relative", "alibi", "rotary_interleaved",
                          "rotary_halves", "none")
    },
    "llama": lambda v: GPT(GPTConfig.llama(v, num_kv_heads=1, **GPT_SIZES)),
    **{
        f"lm {cell}": lambda v, c=cell: RecurrentLM(
            RecurrentLMConfig(v, 6, 8, num_layers=2, cell=c, dropout=0.1)
        )
        for cell in ("rnn", "gru", "lstm")
    },
    **{
        f"transformer {norm} {positions}": lambda v, n=norm, p=positions: Transformer(
            TransformerConfig(v, norm=n, positions=p, **TRANSFORMER_SIZES)
        )
        for norm, positions in (("pre", "learned"), ("post", "sinusoidal"))
    },
    **{
        f"seq2seq {attention}": lambda v, a=attention: Seq2Seq(
            Seq2SeqConfig(v, attention=a, cell="lstm" if a == "general" else "gru",
                          bidirectional=a != "dot", feeding=a == "general", **SEQ2SEQ_SIZES)
        )
        for attention in ("none", "additive", "dot", "general")
    },
}  # fmt: skip


def make(name, seed=0, vocabulary=V, dtype=torch.float64):
    """A model of that name, in training mode as models are made."""
    torch.manual_seed(seed)
    return layout.scramble(MODELS[name](vocabulary).to(dtype), seed)


def translates(name):
    """Whether it reads a source first."""
    return name.startswith(("transformer", "seq2seq"))


def ask(name, B=3, T=2, S=5, seed=0, vocabulary=V):
    """A prompt, and a padded source for those who read one."""
    generator = torch.Generator().manual_seed(seed)
    draw = {"generator": generator}
    prompt = torch.randint(vocabulary, (B, T), **draw)
    if not translates(name):
        return {"prompt": prompt}
    lengths = torch.randint(1, S + 1, (B,), **draw)
    lengths[0] = S
    source = torch.randint(vocabulary, (B, S), **draw)
    return {"prompt": prompt, "source": source, "source_lengths": lengths}


def next_log_p(model, asked, text):
    """Log-probabilities of what follows ``text``, ``(B, V)``: the model called on all of it."""
    return _log_p(model, asked, text)[:, -1]


def text_log_p(model, asked, text):
    """Log-probability of a text ``(N,)`` after a prompt of one row."""
    read = torch.cat([asked["prompt"][0], text])
    each = _log_p(model, asked, read[None, :-1])[0, -len(text) :]
    return each.gather(1, text[:, None]).sum()


def _log_p(model, asked, text):
    with torch.no_grad():
        if "source" in asked:
            output = model(asked["source"], text, asked["source_lengths"])
        else:
            output = model(text)
    return output.logits.log_softmax(-1)


def frequent(model, asked, N, K, least=0):
    """The id from ``least`` on that the model writes most: as an end it ends many hypotheses."""
    written = beam_search(
        model, **asked, max_new_tokens=N, num_beams=K, num_return_sequences=K
    ).tokens
    return least + int(written[written >= least].sub(least).bincount().argmax())
