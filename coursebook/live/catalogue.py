"""The course's live figures: what each asks, says, and is given."""

from __future__ import annotations

from coursebook.live import Figure

#: A look-up by hand: three numbers say how much a thing is a fruit, yellow, and a tool.
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
#: The head of the reader that finds what *note* goes with in this sentence, counted from 0.
HEAD = 3

FIGURES = {
    one.name: one
    for one in (
        Figure(
            "temperature",
            "How sour is a quince, if the table has no row for it?",
            "The query matches each key a little, and the answer is an average of the values. "
            "Lower the temperature until only the best match counts. Raise it until all keys count "
            "the same.",
            "notebooks/05-self-attention",
            data=LOOK_UP,
        ),
        Figure(
            "arrows",
            "Which key does a query listen to?",
            "Drag the tips of q and of the keys, or move them with the arrow keys. A key that "
            "points the same way as q scores high; a longer q makes the choice sharper.",
            "notebooks/05-self-attention",
            data={"q": [1.5, 1.0], "keys": [[1.2, 1.4], [1.4, -1.0], [-1.0, 0.6]]},
        ),
        Figure(
            "attention-steps",
            "What does each word take from the others?",
            "One of the four heads of a small trained model: the one that finds guitar strings for "
            "note. Go through the steps for one word, then for the next, or type a sentence of "
            "your own.",
            "notebooks/05-self-attention",
            data={"sentence": SENTENCE, "asking": 7, "head": HEAD},
            stored=("reader",),
            scripts=("reader-model",),
        ),
        Figure(
            "causal-mask",
            "What does a word know of the words after it?",
            "Change the last word. With the causal mask only the last output changes. Without the "
            "mask the earlier outputs change too: they have seen a word that is still to come.",
            "notebooks/05-self-attention",
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
            "The four heads of a small model that was trained to tell what note means: a message, "
            "a tone or a mood. Rows ask, columns are looked at. Type a sentence of your own.",
            "notebooks/06-multi-head",
            data={"sentence": SENTENCE, "asking": 7},
            stored=("reader",),
            scripts=("reader-model",),
        ),
        Figure(
            "two-places",
            "Can one head look at two words at once?",
            "Dogs and cats are wanted, half of the weight on each. Make the scores sharper. One "
            "head looks at everything first and at one word later; two heads take one word each.",
            "notebooks/06-multi-head",
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
            "it looks, and take it out. Which heads can it not do without?",
            "notebooks/06-multi-head",
            data={"sentences": [13, 28, 21, 17, 6, 16], "first": 13, "place": [1, 1]},
            stored=("filler",),
            scripts=("filler-model",),
        ),
        Figure(
            "scaling",
            "Why divide the scores by √dₖ?",
            "Queries and keys are random, with numbers of variance 1. Make them wider: without the "
            "scaling one key takes all the weight, and the gradient fades.",
            "notebooks/05-self-attention",
            data={"keys": 12, "widths": [1, 2, 4, 8, 16, 32, 64, 128, 256, 512], "seed": 1},
        ),
        Figure(
            "pull-push",
            "What does one step of training do to the vectors?",
            "The neighbour that was seen and the centre pull each other closer. Noise words and "
            "the centre push each other away. Take steps, then leave the noise words out and "
            "see what goes wrong.",
            "notebooks/01-words",
            data={
                "centre": "gin",
                "around": ["cocktail", "globe", "desk", "clock"],
                "w": [0.9, 0.5],
                "vectors": [[-0.4, 1.2], [1.3, -0.3], [0.6, -1.1], [-1.2, -0.7]],
                "rate": 0.3,
                "noise": 2,
            },
        ),
        Figure(
            "word-walk",
            "Which words are near, and where does arithmetic with words lead?",
            "Vectors that skip-gram learned from two million words of Wikipedia. Type a word and "
            "see its neighbours, walk from each word to the nearest, or try an analogy.",
            "notebooks/01-words",
            data={"start": "france", "steps": 3},
            stored=("vectors",),
        ),
        Figure(
            "film-review",
            "Which words decide what a review says?",
            "One learned query reads a film review. Each word has a weight, and a vote for bad or "
            "good; the weighted votes add up. Take out the heaviest words and see what is left. "
            "Then write a review of your own.",
            "notebooks/03-pooling",
            data={
                "review": "the plot is dull and the jokes are stale but the actors are a delight",
                "longest": 16,
                "loudest": 12,
            },
            stored=("reviews",),
        ),
        Figure(
            "positions",
            "Which positions have codes that are alike?",
            "Drag a position and see its code, and how alike it is to the code of every other "
            "position. The codes are 32 wide here, and the curve is their dot product, not the "
            "cosine.",
            "notebooks/07-positions",
            data={"width": 32, "count": 128, "position": 20, "other": 21},
        ),
        Figure(
            "rotary",
            "What happens to a score when both arrows turn?",
            "Turn q and k by moving their positions. Moved together, they keep the angle between "
            "them and so their product; moved alone, they do not.",
            "notebooks/07-positions",
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
            "Small models, one for each scheme, all trained on 32 words at a time. Make the test "
            "shorter and longer, see which losses rise, and follow one scheme through all lengths.",
            "notebooks/07-positions",
            data={"start": 512, "follow": "rotary"},
            stored=("lengths",),
        ),
        Figure(
            "merges",
            "How does a text become tokens?",
            "At first every byte is a token. Each merge joins one pair of neighbours that was "
            "frequent in Shakespeare's plays. Go through the merges one by one, then type a text "
            "of your own.",
            "notebooks/09-decoder",
            data={"text": "The newest note is the oldest: café", "longest": 120, "count": 40},
            stored=("writer",),
            scripts=("gpt-model",),
        ),
        Figure(
            "writer",
            "What comes next, and who chooses?",
            "A small GPT that has read Shakespeare's plays. Grey bars are its probabilities for "
            "the next token, dark ones what your settings leave of them. Let it write, token by "
            "token.",
            "notebooks/09-decoder",
            data={"text": "My lord, I would not", "longest": 120, "bars": 12, "many": 20},
            stored=("writer",),
            scripts=("gpt-model",),
        ),
        Figure(
            "hidden-word",
            "What does the second side tell?",
            "Two small models guess the hidden word. They are alike, but one sees both sides of "
            "the gap and the other the left side only. Hide another word, or type a sentence of "
            "your own.",
            "notebooks/10-encoder",
            data={
                "sentence": "he plucked the guitar strings ending with a high note",
                "hidden": 1,
                "longest": 16,
                "best": 5,
            },
            stored=("gaps",),
            scripts=("reader-model",),
        ),
        Figure(
            "translator",
            "Where does a translator look?",
            "A small Transformer that translates numbers and dates between German, English and "
            "French. Type one in any of the three. Each row of squares shows where it looked "
            "before it wrote the word on the left.",
            "notebooks/11-encoder-decoder",
            data={
                "sentence": "siebenunddreißigtausendfünfhunderteinundzwanzig",
                "languages": [
                    ["deutsch", "German"],
                    ["english", "English"],
                    ["français", "French"],
                ],
                "into": "english",
                "longest": 120,
            },
            stored=("translator",),
            scripts=("translator-model",),
        ),
        Figure(
            "film",
            "How does a translator learn where to look?",
            "The same model while it was trained, at one sentence: what it writes after so many "
            "steps, and where its last block looks before each word. Move through the training.",
            "notebooks/11-encoder-decoder",
            data={"start": 300},
            stored=("film",),
        ),
        Figure(
            "search",
            "What does it help to keep several texts?",
            "The same model, half trained, translates 289,125 into French. Below each text that is "
            "kept are the words that could follow, with the log-probability of the whole text. "
            "Go on step by step, and keep more texts.",
            "notebooks/11-encoder-decoder",
            data={"start": 2, "width": "2", "shown": 3},
            stored=("search",),
        ),
        Figure(
            "online-softmax",
            "How can a softmax be taken without seeing all scores first?",
            "The scores of note are read from the last word to the first, a block at a time. Kept "
            "are the largest score m, the sum l and the weighted sum acc. If a larger score comes, "
            "everything that was summed shrinks by the same factor.",
            "notebooks/13-fast-attention",
            data={
                "sentence": SENTENCE,
                "scores": [0, 4, 4, 3, 0, 1, 2, 0],
                "values": [
                    [0, 0, 0],
                    [2, 0, 0],
                    [2, 0, 0],
                    [1, 0, 1],
                    [0, 0, 0],
                    [0, 0, 1],
                    [0, 0, 2],
                    [1, 1, 0],
                ],
                "names": ["music", "message", "mood"],
                "block": 2,
                "start": 3,
            },
        ),
        Figure(
            "tile-walk",
            "What does the size of a tile change?",
            "One head of width 64 reads 1,024 tokens in 32-bit numbers. Only one tile of scores "
            "exists at a time. Larger tiles read the keys and values less often, and need more of "
            "the fast memory.",
            "notebooks/13-fast-attention",
            data={
                "n": 1024,
                "width": 64,
                "size": 4,
                "tiles": [32, 64, 128, 256, 512, 1024],
                "tile": 64,
                "step": 40,
                "fast": 192_000,
            },
        ),
        Figure(
            "inside",
            "What does a GPT compute?",
            "The small GPT of chapter 9, opened: each tensor on its way from the ids to the "
            "probabilities of the next token, with its shape. A line marks numbers below zero. "
            "Switch off the mask, the positions or a head, and see what changes.",
            "book/explore",
            data={"text": "My lord, I would not", "most": 12, "start": 8, "bars": 12},
            stored=("writer",),
            scripts=("gpt-model",),
        ),
    )
}
