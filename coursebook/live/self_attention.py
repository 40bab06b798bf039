"""The live figures of part II up to positions: self-attention and its heads."""

from __future__ import annotations

from coursebook.live.figure import Figure

#: A look-up by hand: how much each thing is a fruit, is yellow, and is a tool.
LOOK_UP = {
    "keys": {
        "apple": [1.5, 0.3, 0.0],
        "pear": [1.6, 0.8, 0.0],
        "lemon": [1.4, 2.0, 0.0],
        "carrot": [0.6, 0.2, 0.1],
        "hammer": [0.0, 0.1, 2.0],
    },
    "values": [3.0, 2.0, 9.0, 1.0, 0.0],
    "queries": {
        "quince": [1.5, 1.8, 0.0],
        "plum": [1.4, 0.3, 0.0],
        "screwdriver": [0.1, 0.3, 1.8],
    },
}

SENTENCE = "the guitar strings hummed one last melancholic note"
#: What chapter 6 begins with.
MASK_SENTENCE = "The cat was scared because it didn't recognize me in my mask"
#: The reader's head that finds the words that tell what *note* means here, counted from 0.
HEAD = 2

FIGURES = (
    Figure(
        "attends",
        "Which words does a word attend to?",
        "An arc is as thick as its attention weight. The sentences on the buttons were read by a "
        "real encoder, all-MiniLM-L6-v2 (22.7 million parameters, Apache-2.0). Any other sentence "
        "is read in this page by a small encoder of ours, trained to tell what note means; nothing "
        "that you type leaves your computer.",
        "index",
        data={
            "sentence": MASK_SENTENCE,
            "head": HEAD,
            "most": 12,
            "others": [
                SENTENCE[0].upper() + SENTENCE[1:],
                "She left a folded note on the fridge",
                "The speech ended on a hopeful note",
            ],
            "pause": 500,
        },
        stored=("reader", "encoder"),
        scripts=("reader-model", "encoder-model"),
        at_once=True,
    ),
    Figure(
        "temperature",
        "How sour is a quince, if the table has no row for it?",
        "The query matches each key to some degree, and the answer is a weighted average of the "
        "values. The temperature divides the scores: lower it until only the best match counts, "
        "raise it until all keys count the same.",
        "05-self-attention",
        data=LOOK_UP,
    ),
    Figure(
        "arrows",
        "Which key does a query attend to?",
        "Drag the tips of q and of the keys, or move them with the arrow keys. A key that points "
        "the same way as q gets a high score. A longer q makes the weights sharper.",
        "05-self-attention",
        data={"q": [1.5, 1.0], "keys": [[1.2, 1.4], [1.4, -1.0], [-1.0, 0.6]]},
    ),
    Figure(
        "attention-steps",
        "What does each word take from the others?",
        "One of the four heads of a small trained model: the one in which note gives most of its "
        "weight to the words that tell its sense, here hummed, strings and guitar. Go through "
        "the steps for one word, then for the next, or type a sentence of your own.",
        "05-self-attention",
        data={"sentence": SENTENCE, "asking": 7, "head": HEAD},
        stored=("reader",),
        scripts=("reader-model",),
    ),
    Figure(
        "causal-mask",
        "What does a word know about the words after it?",
        "Change the last word. With the causal mask, only the last output changes. Without the "
        "mask, the earlier outputs change too: they have seen a word that comes later.",
        "05-self-attention",
        data={
            "sentence": "the pianist played a clear note",
            "others": ["song", "melody", "door", "keys", "table"],
            "head": HEAD,
        },
        stored=("reader",),
        scripts=("reader-model",),
    ),
    Figure(
        "heads",
        "What do four heads look at?",
        "Four of the 72 heads of a real encoder, all-MiniLM-L6-v2. Rows are queries and columns "
        "are keys. A sentence of your own is read by our small model, which was trained to tell "
        "what note means: a message, a tone or a mood.",
        "06-multi-head",
        data={"sentence": MASK_SENTENCE, "asking": 6},
        stored=("reader", "encoder"),
        scripts=("reader-model", "encoder-model"),
    ),
    Figure(
        "two-places",
        "Can one head look at two words at once?",
        "We want half of the weight on dogs and half on cats. Sharpen the scores: one head goes "
        "from looking at everything to looking at a single word, while two heads take one word "
        "each.",
        "06-multi-head",
        data={
            "sentence": "small dogs often chase the old cats",
            "wanted": [1, 6],
            "sharpness": 5,
            "longer": 0.1,
        },
    ),
    Figure(
        "ablation",
        "What does the model lose without a head?",
        "A small trained model fills in hidden words. Choose one of its eight heads, see where "
        "it looks, and take it out. Which heads does the model need?",
        "06-multi-head",
        data={"sentences": [13, 28, 21, 17, 6, 16], "first": 28, "place": [1, 1]},
        stored=("filler",),
        scripts=("filler-model",),
    ),
    Figure(
        "scaling",
        "Why divide the scores by √dₖ?",
        "Queries and keys are random, with entries of variance 1. Make them wider: without "
        "scaling, one key takes almost all the weight, and the gradient vanishes.",
        "05-self-attention",
        data={"keys": 12, "widths": [1, 2, 4, 8, 16, 32, 64, 128, 256, 512], "seed": 1},
    ),
    Figure(
        "positions",
        "Which positions have similar codes?",
        "Drag a position to see its code, and how similar it is to the code of every other "
        "position. The codes have 32 dimensions here. The curve shows the dot product, not the "
        "cosine.",
        "07-positions",
        data={"width": 32, "count": 128, "position": 20, "other": 21},
    ),
    Figure(
        "rotary",
        "What happens to a score when both arrows turn?",
        "Turn q and k by moving their positions. Moved together, they keep the angle between "
        "them and so their dot product. If only one of them moves, both change.",
        "07-positions",
        data={
            "width": 8,
            "last": 63,
            "pair": 1,
            "m": 12,
            "n": 5,
            "arrows": {"q": [20, 1.6], "k": [40, 1.3]},
        },
    ),
    Figure(
        "lengths",
        "Trained on 32 words: what happens on longer texts?",
        "Small models, one for each position scheme, all trained on 32 words at a time. Change "
        "the length of the test, see which losses rise, and follow one scheme through all "
        "lengths.",
        "07-positions",
        data={"follow": "rotary"},
        stored=("lengths",),
    ),
)
