"""What an exercise can require to be written by hand, and everything that would do it instead.

Plain data that the judge reads: the keys of each entry are the fields of
:class:`nbjudge.inside.kinds.Forbidden`.
"""

#: Cross-entropy in every form: PyTorch functions, Python code, and low-level operators.
CROSS_ENTROPY = frozenset(
    {"cross_entropy", "cross_entropy_loss", "nll_loss", "nll_loss_nd", "nll_loss2d"}
)
CROSS_ENTROPY_PYTHON = (
    *("torch.nn.CrossEntropyLoss", "torch.nn.NLLLoss"),
    *("torch._refs.nn.functional.nll_loss", "torch._refs.nn.functional._nll_loss_nd"),
    *(f"torch._decomp.decompositions.{n}nll_loss_forward" for n in ("", "_")),
)
CROSS_ENTROPY_OPERATORS = ("cross_entropy", "nll_loss")

#: Libraries, installed because PyTorch needs them, that multiply matrices and differentiate with
#: Python's own numbers.
ALGEBRA = ("sympy", "mpmath")

#: What an exercise can require to be written by hand.
FORBIDDEN = {
    "attention": {
        "why": "does the whole of this exercise for you. Here attention is written by hand, from "
        "products, a softmax and a sum: take the call out and follow the formula.",
        "torch_functions": frozenset(
            {
                "scaled_dot_product_attention",
                "_scaled_dot_product_attention_math",
                "_scaled_dot_product_flash_attention_for_cpu",
                "multi_head_attention_forward",
                "_native_multi_head_attention",
                "_transformer_encoder_layer_fwd",
            }
        ),
        "python": (
            "torch.nn.functional.multi_head_attention_forward",
            "torch.nn.MultiheadAttention",
            "torch.nn.Transformer",
            "torch.nn.TransformerEncoder",
            "torch.nn.TransformerEncoderLayer",
            "torch.nn.TransformerDecoder",
            "torch.nn.TransformerDecoderLayer",
            "torch.nn.attention.flex_attention",
            "torch._higher_order_ops.flex_attention",
            "torch.ao.nn.quantizable.modules.activation.MultiheadAttention",
            "torch.ao.nn.quantized.modules.activation.MultiheadAttention",
            "torch._decomp.decompositions.scaled_dot_product_flash_attention_for_cpu",
            "tfcourse.alignment",
            "tfcourse.attention",
            "tfcourse.key_value_cache",
            "tfcourse.rolling_cache",
            "tfcourse.kernels.flash",
        ),
        "modules": (
            "tfcourse.alignment",
            "tfcourse.attention",
            "tfcourse.key_value_cache",
            "tfcourse.rolling_cache",
            "tfcourse.kernels",
            "tfcourse.layers",
            "tfcourse.models",
            "tfcourse.pretrained",
            "torch._inductor.fx_passes.fuse_attention",
            "torch.nn.attention.bias",
            "torch.nn.attention.experimental",
            "torch.nn.attention.flex_attention",
            "torch.nn.attention.varlen",
            "torch.nested._internal.sdpa",
            "torch.onnx.ops",
            "torch.sparse._triton_ops",
            "transformers",
        ),
        "operators": ("attention", "scaled_dot", "_sdp_", "_transformer_encoder_layer"),
    },
    "matrix products": {
        "why": "multiplies two matrices at once. This exercise is about the loop that such a "
        "product hides: take one query at a time (a product of a matrix and one vector is "
        "allowed).",
        "torch_functions": frozenset(
            {"matmul", "mm", "bmm", "addmm", "baddbmm", "addbmm", "einsum", "tensordot", "linear"}
            | {"__matmul__", "__rmatmul__", "inner", "chain_matmul", "multi_dot"}
        ),
        "modules": ALGEBRA,
        # Layers that are made of products; the judge knows products themselves.
        "operators": (
            *("attention", "scaled_dot", "_native_multi_head", "_transformer_encoder"),
            *("lstm", "gru", "rnn"),
        ),
        "matrices": True,
    },
    "word vectors": {
        "why": "is one of the things that this problem set writes by hand: one-hot rows and "
        "look-ups, the log-sigmoid, the cosine. Take the call out and follow the formula.",
        "torch_functions": frozenset(
            {"one_hot", "embedding", "embedding_bag", "cosine_similarity", "cosine_embedding_loss"}
            | {"logsigmoid", "log_sigmoid", "softplus", "soft_margin_loss"}
            | {"binary_cross_entropy", "binary_cross_entropy_with_logits"}
            | {"multilabel_soft_margin_loss"}
        ),
        "python": (
            "torch.nn.Embedding",
            "torch.nn.EmbeddingBag",
            "torch.nn.LogSigmoid",
            "torch.nn.CosineSimilarity",
            "torch.distributions.one_hot_categorical",
            "tfcourse.models.skipgram",
        ),
        "modules": ("tfcourse.models", "tfcourse.runs"),
        "operators": (
            *("embedding", "one_hot", "log_sigmoid", "softplus", "cosine_similarity"),
            *("binary_cross_entropy", "soft_margin"),
        ),
    },
    "recurrent nets": {
        "why": "is one of the things that this problem set writes by hand: recurrent cells, and "
        "the nets made of them. Take the call out and follow the formula.",
        "torch_functions": frozenset(
            {"rnn_tanh", "rnn_relu", "lstm", "gru", "rnn_tanh_cell", "rnn_relu_cell"}
            | {"lstm_cell", "gru_cell", "_thnn_fused_lstm_cell", "_thnn_fused_gru_cell"}
            | {"mkldnn_rnn_layer", "quantized_lstm_cell", "quantized_gru_cell"}
            | {"quantized_rnn_tanh_cell", "quantized_rnn_relu_cell"}
        ),
        "python": (
            *(f"torch.nn.{name}" for name in ("RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase")),
            *(f"torch.nn.{name}" for name in ("RNNCell", "LSTMCell", "GRUCell")),
            "torch.ao.nn.quantizable.modules.rnn.LSTM",
            "torch.ao.nn.quantizable.modules.rnn.LSTMCell",
            *(f"torch._decomp.decompositions.{cell}_cell" for cell in ("rnn", "lstm", "gru")),
            *(f"torch._decomp.decompositions.one_layer_{net}" for net in ("rnn", "lstm")),
            "tfcourse.recurrent",
        ),
        "modules": ("tfcourse.recurrent", "tfcourse.models", "tfcourse.runs"),
        "operators": ("lstm", "gru", "rnn"),
    },
    "clipping": {
        "why": "clips for you. Here clipping is written by hand: take the call out and follow the "
        "formula.",
        "torch_functions": frozenset({"renorm", "renorm_", "embedding_renorm_"}),
        "python": (
            "torch.nn.utils.clip_grad",
            "tfcourse.training.optimisers",
        ),
        "modules": ("tfcourse.training", "tfcourse.runs"),
        "operators": ("renorm",),
    },
    "autograd": {
        "why": "lets PyTorch find the gradient. Here the gradient is written by hand: take the "
        "call out and follow the formula.",
        "torch_functions": frozenset({"backward"}),
        "python": (
            "torch.autograd.backward",
            "torch.autograd.grad",
            "torch.autograd.graph._engine_run_backward",
            "torch.autograd.forward_ad",
            "torch.autograd.functional",
            "torch.autograd.gradcheck",
            "torch._functorch.eager_transforms",
        ),
        "modules": ALGEBRA,
        "gradients": True,
        "signs": {
            r"complex|cfloat|cdouble|cmath|\d[jJ]\b": "computes with complex numbers: is the "
            "gradient found by a complex step?",
        },
    },
    "translation": {
        "why": "does what this problem set writes by hand: the loss over the words of a batch, the "
        "search for the best text. Take the call out and follow the formula.",
        "torch_functions": CROSS_ENTROPY,
        "python": (
            *CROSS_ENTROPY_PYTHON,
            "tfcourse.generation",
        ),
        "modules": ("tfcourse.generation", "tfcourse.models", "tfcourse.runs", "tfcourse.training"),
        "operators": CROSS_ENTROPY_OPERATORS,
    },
    "positions": {
        "why": "is one of the things that this problem set writes by hand: position encodings, "
        "rotated queries and keys, biases on the scores. Take the call out and follow the "
        "formula.",
        "torch_functions": [],
        "python": ("tfcourse.positions",),
        "modules": (
            "tfcourse.positions",
            "tfcourse.alignment",
            "tfcourse.attention",
            "tfcourse.key_value_cache",
            "tfcourse.rolling_cache",
            "tfcourse.layers",
            "tfcourse.models",
            "tfcourse.pretrained",
            "tfcourse.runs",
            "torch.onnx.ops",
            "transformers",
        ),
    },
    "blocks": {
        "why": "is one of the things that this problem set writes by hand: the norms, the block, "
        "its operation counts, its learning rate. Take the call out and follow the formula.",
        "torch_functions": frozenset(
            {"layer_norm", "rms_norm", "group_norm", "instance_norm", "batch_norm"}
            | {f"native_{name}_norm" for name in ("layer", "group", "batch")}
            | {f"native_{name}_norm_backward" for name in ("layer", "group", "batch")}
            | {"_fused_rms_norm", "_fused_rms_norm_backward", "batch_norm_backward"}
            | {"_native_batch_norm_legit", "_batch_norm_impl_index", "cudnn_batch_norm"}
            | {"_native_batch_norm_legit_no_training", "quantized_batch_norm"}
        ),
        "python": (
            *(f"torch.nn.{name}" for name in ("LayerNorm", "RMSNorm", "GroupNorm")),
            *(f"torch.nn.{kind}Norm{n}d" for kind in ("Batch", "Instance") for n in (1, 2, 3)),
            *(
                f"torch._decomp.decompositions.{name}"
                for name in (
                    *("native_layer_norm_backward", "native_group_norm_backward"),
                    *("native_batch_norm_backward", "native_batch_norm_helper"),
                    *("batch_norm_backward", "_fused_rms_norm", "_fused_rms_norm_backward"),
                )
            ),
            *(f"torch._refs.native_{name}_norm" for name in ("layer", "group")),
            *(f"torch._refs.nn.functional.{name}_norm" for name in ("layer", "group")),
            *("torch.nn.functional.local_response_norm", "torch.nn.LocalResponseNorm"),
            "torch.utils.flop_counter.FlopCounterMode",
            "tfcourse.layers",
            "tfcourse.training.schedules",
        ),
        "modules": (
            *("tfcourse.layers", "tfcourse.models", "tfcourse.pretrained", "tfcourse.runs"),
            *("tfcourse.training", "torch.utils.flop_counter", "torch.onnx.ops", "transformers"),
        ),
        "operators": ("layer_norm", "rms_norm", "group_norm", "batch_norm", "instance_norm"),
        "counts": True,
    },
    "language models": {
        "why": "is one of the things that this problem set writes by hand: byte-pair merges, "
        "the loss of a language model, sampling. Take the call out and follow the "
        "formula.",
        "torch_functions": CROSS_ENTROPY,
        "python": (
            *CROSS_ENTROPY_PYTHON,
            "tfcourse.batching",
            "tfcourse.evaluation",
            "tfcourse.generation",
            "tfcourse.tokenizers",
        ),
        "modules": (
            *("tfcourse.batching", "tfcourse.evaluation", "tfcourse.generation"),
            *("tfcourse.models", "tfcourse.pretrained", "tfcourse.runs", "tfcourse.tokenizers"),
            *("tfcourse.training", "tokenizers", "transformers"),
        ),
        "operators": CROSS_ENTROPY_OPERATORS,
    },
    "encoders": {
        "why": "is one of the things that this problem set writes by hand: the encoder's input and "
        "its masked words, one vector for a text, the pre-training losses. Take the call out "
        "and follow the formula.",
        "torch_functions": CROSS_ENTROPY,
        "python": (
            *CROSS_ENTROPY_PYTHON,
            *("tfcourse.batching.masking", "tfcourse.models.bert"),
        ),
        "modules": (
            *("tfcourse.batching", "tfcourse.layers", "tfcourse.models", "tfcourse.positions"),
            *("tfcourse.pretrained", "tfcourse.runs", "tfcourse.training", "transformers"),
        ),
        "operators": CROSS_ENTROPY_OPERATORS,
    },
    "encoder-decoders": {
        "why": "is one of the things that this problem set writes by hand: the decoder's block, "
        "the smoothed loss, its learning rate, the search, BLEU. Take the call out and follow the "
        "formula.",
        "torch_functions": CROSS_ENTROPY,
        "python": (
            *CROSS_ENTROPY_PYTHON,
            *("sacrebleu.compat", "sacrebleu.metrics.bleu.BLEU"),
            *("tfcourse.evaluation.translation", "tfcourse.generation"),
        ),
        "modules": (
            *("tfcourse.evaluation", "tfcourse.generation", "tfcourse.layers", "tfcourse.models"),
            *("tfcourse.pretrained", "tfcourse.runs", "tfcourse.training"),
            *("sacrebleu", "transformers"),
        ),
        "operators": CROSS_ENTROPY_OPERATORS,
    },
    "vision": {
        "why": "is one of the things that this problem set writes by hand: patchifying and its "
        "inverse, positions, [CLS], rollout. Take the call out and follow the formula.",
        "torch_functions": frozenset(
            {"im2col", "col2im", "pixel_shuffle", "pixel_unshuffle"}
            | {f"conv{n}d" for n in (1, 2, 3)}
            | {f"conv_transpose{n}d" for n in (1, 2, 3)}
            | {"convolution", "_convolution", "mkldnn_convolution", "conv_tbc"}
        ),
        "python": (
            *(f"torch.nn.functional.{name}" for name in ("unfold", "fold")),
            *(f"torch.nn.{name}" for name in ("Unfold", "Fold")),
            *("tfcourse.models.vit", "tfcourse.positions"),
        ),
        "modules": (
            *("tfcourse.alignment", "tfcourse.attention", "tfcourse.layers", "tfcourse.models"),
            *("tfcourse.positions", "tfcourse.pretrained", "tfcourse.key_value_cache"),
            *("tfcourse.rolling_cache", "tfcourse.runs", "tfcourse.training", "transformers"),
        ),
        "operators": (
            "im2col",
            "col2im",
            "pixel_shuffle",
            "pixel_unshuffle",
            "convolution",
            "conv_",
            "conv2d",
            "conv3d",
        ),
    },
}
