"""Tiny models of transformers with random weights, and one batch for each."""

import math

import torch
import transformers as hf
from torch import nn

hf.utils.logging.disable_progress_bar()

V = 23
GPT2 = {"vocab_size": V, "n_positions": 12, "n_embd": 16, "n_layer": 2, "n_head": 4}
LLAMA = {
    "vocab_size": V, "hidden_size": 16, "intermediate_size": 20, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 12,
}  # fmt: skip
BERT = {
    "vocab_size": V, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 24, "max_position_embeddings": 12, "type_vocab_size": 3,
}  # fmt: skip
MARIAN = {
    "vocab_size": V, "d_model": 16, "encoder_layers": 2, "decoder_layers": 3,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 20,
    "decoder_ffn_dim": 20, "max_position_embeddings": 12,
    "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0, "forced_eos_token_id": 1,
    "activation_function": "relu",
}  # fmt: skip
VIT = {
    "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 24,
    "image_size": 8, "patch_size": 4, "num_channels": 3, "num_labels": 5,
}  # fmt: skip

#: For each peer its class, the class of its config, and its sizes and choices. The classes by name:
#: they take a second to import, and every process of the tests collects what is here.
PEERS = {
    "gpt2": ("GPT2LMHeadModel", "GPT2Config", GPT2),
    "gpt2-untied": (
        "GPT2LMHeadModel", "GPT2Config",
        GPT2 | {"tie_word_embeddings": False, "n_inner": 20, "activation_function": "relu"},
    ),
    "llama": ("LlamaForCausalLM", "LlamaConfig", LLAMA),
    "llama-tied": (
        "LlamaForCausalLM", "LlamaConfig",
        LLAMA | {
            "tie_word_embeddings": True, "head_dim": 6, "num_key_value_heads": 1,
            "rms_norm_eps": 1e-5, "rope_parameters": {"rope_type": "default", "rope_theta": 500.0},
        },
    ),
    # Two that differ from Llama in a few parts, and are tested like it: what is common is its own.
    "llama-qwen3": ("Qwen3ForCausalLM", "Qwen3Config", LLAMA | {"head_dim": 8}),
    "llama-stablelm": (
        "StableLmForCausalLM", "StableLmConfig",
        LLAMA | {
            "rope_parameters": {
                "rope_type": "default", "rope_theta": 500.0, "partial_rotary_factor": 0.5
            },
        },
    ),
    "bert-words": ("BertForMaskedLM", "BertConfig", BERT),
    "bert-both": ("BertForPreTraining", "BertConfig", BERT),
    "bert-next": ("BertForNextSentencePrediction", "BertConfig", BERT),
    "bert-classes": (
        "BertForSequenceClassification", "BertConfig", BERT | {"num_labels": 5}
    ),
    "marian": ("MarianMTModel", "MarianConfig", MARIAN | {"scale_embedding": True}),
    "marian-unshared": (
        "MarianMTModel", "MarianConfig",
        MARIAN | {
            "share_encoder_decoder_embeddings": False, "decoder_vocab_size": 19,
            "scale_embedding": False, "activation_function": "gelu",
        },
    ),
    "marian-untied": (
        "MarianMTModel", "MarianConfig",
        MARIAN | {"share_encoder_decoder_embeddings": False, "tie_word_embeddings": False},
    ),
    "vit": ("ViTForImageClassification", "ViTConfig", VIT),
}  # fmt: skip


def make(name, *, attention="sdpa", seed=0, **settings):
    """The peer in eval mode, every number of it drawn so that no two parts can be mixed up."""
    model_class, config_class, sizes = PEERS[name]
    config = getattr(hf, config_class)(**sizes | settings)
    config._attn_implementation = attention
    torch.manual_seed(seed)
    model = getattr(hf, model_class)(config).eval()
    with torch.no_grad():
        for part in model.modules():
            is_norm = isinstance(part, nn.LayerNorm) or type(part).__name__.endswith("RMSNorm")
            for key, p in part.named_parameters(recurse=False):
                if p.requires_grad:  # Marian's table of sinusoids is not learned
                    p.normal_(std=0.3)
                    if is_norm and key == "weight":
                        p.add_(1)
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias.normal_(std=0.3)
    return model


def in_double(model):
    """The peer in float64, with Marian's positions in float64 too: it rounds them to float32."""
    model = model.double()
    if isinstance(model, hf.MarianMTModel):
        for stack in (model.model.encoder, model.model.decoder):
            N, D = stack.embed_positions.weight.shape
            stack.embed_positions.weight.data = torch.tensor(
                [
                    [
                        f(n / 10_000 ** (2 * i / D))
                        for f in (math.sin, math.cos)
                        for i in range(D // 2)
                    ]
                    for n in range(N)
                ],
                dtype=torch.float64,
            )
    return model


#: Numbers of real tokens in each sequence of a batch, padded to the longest.
LENGTHS = torch.tensor([9, 4, 1])


def batch(name, seed=0, dtype=torch.float32):
    """What the peer is called with, and what ours is called with."""
    generator = torch.Generator().manual_seed(seed)
    tokens, segments = (
        torch.randint(0, size, (3, 9), generator=generator) for size in (V, BERT["type_vocab_size"])
    )
    attended = (torch.arange(9) < LENGTHS[:, None]).long()
    if name.startswith(("gpt2", "llama")):
        return {"input_ids": tokens, "attention_mask": attended}, {"tokens": tokens}
    if name.startswith("bert"):
        theirs = {"input_ids": tokens, "attention_mask": attended, "token_type_ids": segments}
        return theirs, {"tokens": tokens, "segments": segments, "lengths": LENGTHS}
    if name.startswith("marian"):
        target = torch.randint(0, 19, (3, 6), generator=generator)
        target[:, 0] = 0  # the padding's id begins every target
        theirs = {"input_ids": tokens, "attention_mask": attended, "decoder_input_ids": target}
        return theirs, {"source": tokens, "target": target, "source_lengths": LENGTHS}
    images = torch.randn(3, 3, 8, 8, generator=generator, dtype=torch.float64).to(dtype)
    return {"pixel_values": images}, {"images": images}


def logits(name, output):
    """All logits of a peer's output, by the name of our head, with padding cut out."""
    if name == "bert-both":
        heads = {"words": output.prediction_logits, "next": output.seq_relationship_logits}
    else:
        head = {"bert-words": "words", "bert-next": "next", "bert-classes": "classes"}.get(name)
        heads = {head: output.logits}
    return {head: real(name, x) for head, x in heads.items()}


def our_logits(name, model, inputs, heads, **more):
    """The same of ours."""
    return {
        head: real(name, model(**inputs, **({"predict": head} if head else {}), **more).logits)
        for head in heads
    }


def real(name, x):
    """The rows of real tokens, where there is one row for each token."""
    if name.startswith(("gpt2", "llama", "bert")) and x.dim() == 3:
        return torch.cat([row[:n] for row, n in zip(x, LENGTHS.tolist(), strict=True)])
    return x
