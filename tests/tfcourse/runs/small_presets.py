"""Some lines of running text, and the presets with the changes that make them small."""

LINES = ["the cat sat on the mat", "the dog sat on the log", "a bird sang in the tree"] * 20
SMALL = {
    "dates": {
        "data.options.examples": 200, "data.options.held_out": 30, "model.d_model": 16,
        "model.d_ff": 16, "model.num_heads": 2, "model.num_encoder_layers": 1,
        "model.num_decoder_layers": 1, "training.steps": 6, "training.batch": 8,
        "training.warmup": 2,
    },
    "digits-vit": {
        "model.d_model": 8, "model.d_ff": 8, "model.num_heads": 2, "model.num_layers": 1,
        "training.steps": 6, "training.batch": 16, "training.warmup": 2,
    },
    "tinyshakespeare-cpu": {
        "data.name": "tiny-text", "model.num_layers": 1, "model.num_heads": 2, "model.d_model": 8,
        "model.context_length": 16, "training.window": 16, "training.steps": 6,
        "training.warmup": 2, "evaluation.batch": 8,
    },
    "wikitext-2-skipgram": {
        "data.name": "tiny-text", "model.d_model": 8, "training.steps": 6, "training.batch": 32,
        "tokenizer.at_least": 2, "training.subsample": 0.1, "evaluation.measures": [],
    },
    "reviews-bert-cpu": {
        "data.name": "tiny-text", "data.validation": "validation", "data.held_out": 0,
        "data.test": "", "model.num_layers": 1, "model.num_heads": 2, "model.d_model": 8,
        "model.context_length": 16, "training.window": 16, "training.batch": 8, "training.steps": 6,
        "training.warmup": 2, "evaluation.batch": 3,
    },
}  # fmt: skip
