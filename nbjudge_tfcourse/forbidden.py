"""What an exercise can require to be written by hand, and everything that would do it instead.

Plain data that the judge reads: the keys of each entry are the fields of
:class:`nbjudge.inside.forbidden.Forbidden`.
"""

#: Cross-entropy in every form: PyTorch functions, Python code, and operators.
CROSS_ENTROPY = frozenset(
    {"cross_entropy", "cross_entropy_loss", "nll_loss", "nll_loss_nd", "nll_loss2d"}
)
CROSS_ENTROPY_PYTHON = (
    *("torch.nn.modules.loss.CrossEntropyLoss", "torch.nn.modules.loss.NLLLoss"),
)
CROSS_ENTROPY_OPERATORS = ("cross_entropy", "nll_loss")

#: A library that multiplies matrices or differentiates where PyTorch must not.
ALGEBRA = r"\b(sympy|mpmath|scipy|sklearn)\b"

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
                "flex_attention",
            }
        ),
        "python": (
            "torch.nn.functional.multi_head_attention_forward",
            "torch.nn.modules.activation.MultiheadAttention",
            "torch.nn.modules.transformer",
            "torch.nn.attention.flex_attention.flex_attention",
            "torch._higher_order_ops.flex_attention",
        ),
        "modules": (
            "tfcourse.alignment",
            "tfcourse.attention",
            "tfcourse.by_loop",
            "tfcourse.rolling_cache",
            "tfcourse.kernels",
            "tfcourse.layers",
            "tfcourse.models",
            "tfcourse.pretrained",
            "transformers",
        ),
        "operators": (
            "_safe_softmax",
            "attention",
            "scaled_dot",
            "_sdp_",
            "_transformer_encoder_layer",
        ),
    },
    "matrix products": {
        "why": "multiplies two matrices at once. This exercise is about the loop that such a "
        "product hides: take one query at a time (a product of a matrix and one vector is "
        "allowed).",
        "torch_functions": frozenset(
            {"matmul", "mm", "bmm", "addmm", "baddbmm", "addbmm", "einsum", "tensordot", "linear"}
            | {"__matmul__", "__rmatmul__", "inner", "chain_matmul", "multi_dot"}
        ),
        # What is made of products, or is one in disguise; the judge knows products themselves.
        "operators": (
            *("attention", "scaled_dot", "_native_multi_head", "_transformer_encoder"),
            *("lstm", "gru", "rnn", "convolution", "embedding_bag", "cdist", "_trilinear"),
        ),
        "matrices": True,
        "signs": {
            rf"\bnumpy\b|\bnp\.|{ALGEBRA}": "computes outside PyTorch: is it a matrix product?",
            r"\blinalg\b|\b_?(lu|qr|pdist|_?grouped_mm|matrix_exp)\(|\bsolve_\w+|_solve\(": (
                "solves equations, decomposes or measures distances: is it a matrix product?"
            ),
        },
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
            *(f"torch.nn.modules.sparse.{name}" for name in ("Embedding", "EmbeddingBag")),
            "torch.nn.modules.activation.LogSigmoid",
            "torch.nn.modules.distance.CosineSimilarity",
            "torch.distributions.one_hot_categorical",
        ),
        "modules": ("tfcourse.models", "tfcourse.runs"),
        "operators": (
            *("embedding", "one_hot", "log_sigmoid", "softplus", "cosine_similarity"),
            *("binary_cross_entropy", "soft_margin"),
        ),
        "signs": {r"\b(scipy|sklearn)\b": "uses another library: does that encode the words?"},
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
            *(f"torch.nn.modules.rnn.{name}" for name in ("RNNBase", "RNN", "LSTM", "GRU")),
            *(f"torch.nn.modules.rnn.{name}Cell" for name in ("RNN", "LSTM", "GRU")),
        ),
        "modules": ("tfcourse.recurrent", "tfcourse.models", "tfcourse.runs"),
        "operators": ("lstm", "gru", "rnn"),
    },
    "clipping": {
        "why": "clips for you. Here clipping is written by hand: take the call out and follow the "
        "formula.",
        "torch_functions": frozenset({"renorm", "renorm_", "embedding_renorm_"}),
        "python": ("torch.nn.utils.clip_grad",),
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
            "torch.autograd.forward_ad",
            "torch.autograd.functional",
            "torch.autograd.gradcheck",
            "torch._functorch.eager_transforms",
        ),
        "gradients": True,
        "signs": {
            ALGEBRA: "uses another library's algebra: does that find the gradient?",
            r"_execution_engine|grad_fn|forward_ad": "starts PyTorch's gradients in an unusual way",
            r"complex|cfloat|cdouble|cmath|\d[jJ]\b": "computes with complex numbers: is the "
            "gradient found by a complex step?",
        },
    },
    "translation": {
        "why": "does what this problem set writes by hand: the loss over the words of a batch, the "
        "search for the best text. Take the call out and follow the formula.",
        "torch_functions": CROSS_ENTROPY,
        "python": CROSS_ENTROPY_PYTHON,
        "modules": ("tfcourse.generation", "tfcourse.models", "tfcourse.runs", "tfcourse.training"),
        "operators": CROSS_ENTROPY_OPERATORS,
    },
    "positions": {
        "why": "is one of the things that this problem set writes by hand: position encodings, "
        "rotated queries and keys, biases on the scores. Take the call out and follow the "
        "formula.",
        "modules": (
            "tfcourse.positions",
            "tfcourse.alignment",
            "tfcourse.attention",
            "tfcourse.by_loop",
            "tfcourse.rolling_cache",
            "tfcourse.layers",
            "tfcourse.models",
            "tfcourse.pretrained",
            "tfcourse.runs",
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
            *(f"torch.nn.modules.normalization.{n}Norm" for n in ("Layer", "RMS", "Group")),
            *("torch.nn.modules.batchnorm", "torch.nn.modules.instancenorm"),
            "torch.nn.modules.normalization.LocalResponseNorm",
            "torch.nn.functional.local_response_norm",
            "torch.utils.flop_counter.FlopCounterMode",
            "torch.autograd.profiler.profile",
        ),
        "modules": (
            *("tfcourse.layers", "tfcourse.models", "tfcourse.pretrained", "tfcourse.runs"),
            *("tfcourse.training", "transformers"),
        ),
        "operators": ("layer_norm", "rms_norm", "group_norm", "batch_norm", "instance_norm"),
    },
    "language models": {
        "why": "is one of the things that this problem set writes by hand: byte-pair merges, "
        "the loss of a language model, sampling. Take the call out and follow the "
        "formula.",
        "torch_functions": CROSS_ENTROPY,
        "python": CROSS_ENTROPY_PYTHON,
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
        "python": CROSS_ENTROPY_PYTHON,
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
            *(f"torch.nn.modules.fold.{name}" for name in ("Unfold", "Fold")),
        ),
        "modules": (
            *("tfcourse.alignment", "tfcourse.attention", "tfcourse.layers", "tfcourse.models"),
            *("tfcourse.positions", "tfcourse.pretrained", "tfcourse.by_loop"),
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
