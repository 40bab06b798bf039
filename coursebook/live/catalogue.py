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
            "gradient",
            "How much of the gradient reaches the first word?",
            "A plain recurrent net with random weights, 16 numbers wide. The curve is the norm of "
            "the last state's gradient with respect to the first word, on a logarithmic axis. Make "
            "the sequence longer and the matrix U stronger.",
            "notebooks/02-recurrence",
            data={"gain": 1.5, "length": 32, "low": -15, "high": 9},
            stored=("gradient",),
        ),
        Figure(
            "gates",
            "When does a gate open?",
            "A small trained GRU reads a sentence and says after each word whether the verb must "
            "be plural. Dark squares keep the old state, light ones let a new number in. Type a "
            "sentence of your own.",
            "notebooks/02-recurrence",
            data={
                "sentence": "the students in the exam where the fire alarm is ringing",
                "longest": 14,
                "word": 10,
                "unit": 5,
            },
            stored=("gates",),
        ),
        Figure(
            "important-word",
            "Which words does a query pick?",
            "One query looks at all words of a review, and the average of the words follows. Turn "
            "the query to look for opinions, for praise, for blame or for the rest. Make it longer "
            "to be stricter. At zero it gives the mean.",
            "notebooks/03-pooling",
            data={
                "words": {
                    "what": [0.6, 0.6],
                    "a": [0.3, -1.0],
                    "dull": [-1.8, 1.4],
                    "plot": [-0.9, 0.2],
                    "but": [-0.7, -0.9],
                    "delightful": [1.7, 1.5],
                    "actors": [1.0, -0.6],
                },
                "v": [0.0, 1.9],
            },
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
            "residual-stream",
            "What is left of the words' differences after many blocks?",
            "A stack of 24 random blocks, before any training. Take the residual path away, move "
            "the norm, draw the first weights by another rule, and follow the words from block to "
            "block.",
            "notebooks/08-block",
            data={
                "words": ["dogs", "chase", "cats", "at", "night"],
                "sizes": {
                    "words": 5,
                    "width": 16,
                    "hidden": 64,
                    "heads": 2,
                    "blocks": 24,
                    "seed": 8,
                },
                "after": 12,
            },
        ),
        Figure(
            "surface",
            "What does the loss look like around a trained net?",
            "Two nets of six blocks from the same start, trained to the same loss. The height is "
            "the loss when the weights are moved along two random directions. Turn the surfaces, "
            "look from above, and compare three such pairs.",
            "notebooks/08-block",
            data={"pair": 0, "turn": 30, "tilt": 30},
            stored=("surface",),
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
            "cache",
            "What must be computed for the next token?",
            "One head of a decoder, token by token. With a cache only the newest row is computed, "
            "and the keys and values of the rows above are kept. Without one all rows are computed "
            "again. The output is the same.",
            "notebooks/09-decoder",
            data={"words": SENTENCE.split(), "width": 4, "seed": 3, "token": 4},
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
            "hiding",
            "What becomes of a sentence before the model reads it?",
            "Of the words that are chosen, 80 % are read as [MASK], 10 % as another word, and 10 % "
            "as they are. All of them are asked for. Draw again and again, then change the share "
            "that is chosen.",
            "notebooks/10-encoder",
            data={
                "sentence": "she plucked the guitar strings and held a long low note",
                "others": ["speech", "letter", "drum", "sad", "sang", "on", "their", "violin"],
                "longest": 12,
                "share": 0.15,
                "draws": 500,
                "first": 8,
            },
        ),
        Figure(
            "two-senses",
            "Does note mean the same in both sentences?",
            "The vector of note in two sentences, compared by the cosine: in a table, in a small "
            "encoder that has guessed hidden words, and in one that was trained to tell the sense. "
            "Type sentences of your own.",
            "notebooks/10-encoder",
            data={
                "first": "she left a folded note on the fridge for the landlord",
                "second": "he plucked the guitar strings ending with a high note",
                "longest": 16,
            },
            stored=("gaps", "reader"),
            scripts=("reader-model",),
        ),
        Figure(
            "alignment",
            "Where does the translator look before each word?",
            "A small recurrent translator with attention, from German numbers to English. Give it "
            "a number of your own, in German or in digits. Each row of squares shows where it "
            "looked before it wrote the word on the left.",
            "notebooks/04-alignment",
            data={"sentence": "siebenundzwanzig", "longest": 20},
            stored=("alignment",),
            scripts=("alignment-model",),
        ),
        Figure(
            "aligning",
            "How does an alignment form?",
            "The same translator while it was trained, at 345,627: what it writes after so many "
            "steps, and where it looks before each of the right words. Frames mark the partners. "
            "Move through the training.",
            "notebooks/04-alignment",
            data={"start": 60},
            stored=("aligning",),
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
            "The same model, half trained, translates 289,125 into French. The tree has the texts "
            "that were kept, and at its tips the words that could follow, with the log-probability "
            "of the whole text. Go on step by step, and keep more texts.",
            "notebooks/11-encoder-decoder",
            data={"start": 2, "width": "2", "shown": 3},
            stored=("search",),
        ),
        Figure(
            "arrow",
            "Where does a vision transformer look?",
            "A small vision transformer, trained to name the letter that the arrow points at. "
            "Turn the arrow, change the letters, and see what it says. Colour is the attention of "
            "[CLS] to each of the 16 patches.",
            "notebooks/12-vision",
            data={
                "letters": ["A", "T", "L", "X"],
                "arrow": {"corner": 1, "turn": 2},
                "dashes": [
                    {"kind": 0, "top": 1, "left": 9},
                    {"kind": 1, "top": 14, "left": 1},
                    {"kind": 3, "top": 9, "left": 16},
                    {"kind": 2, "top": 18, "left": 10},
                    {"kind": 1, "top": 3, "left": 3},
                    {"kind": 0, "top": 17, "left": 17},
                ],
                "clutter": 2,
                "which": "1.-1",
            },
            stored=("arrow",),
            scripts=("vit-model",),
        ),
        Figure(
            "occlusion",
            "Which patches does the answer need?",
            "The same model. Leave patches out, by a tap or with the slider and the button. The "
            "solid bars are the probabilities with what is left, the dashed ones those with all "
            "patches.",
            "notebooks/12-vision",
            data={
                "scenes": [
                    {
                        "letters": [
                            ["H", 3, 0, 0],
                            ["E", 2, 0, 19],
                            ["L", 2, 18, 0],
                            ["A", 2, 19, 18],
                        ],
                        "arrow": {"corner": 2, "turn": 3, "top": 9, "left": 10},
                        "dashes": [
                            {"kind": 3, "top": 1, "left": 16},
                            {"kind": 1, "top": 7, "left": 11},
                        ],
                    },
                    {
                        "letters": [
                            ["T", 2, 1, 1],
                            ["H", 3, 0, 19],
                            ["A", 4, 18, 0],
                            ["L", 4, 18, 18],
                        ],
                        "arrow": {"corner": 1, "turn": 4, "top": 9, "left": 9},
                        "dashes": [
                            {"kind": 0, "top": 19, "left": 9},
                            {"kind": 3, "top": 7, "left": 3},
                        ],
                    },
                    {
                        "letters": [
                            ["E", 3, 0, 0],
                            ["X", 0, 0, 18],
                            ["T", 1, 19, 0],
                            ["A", 3, 19, 19],
                        ],
                        "arrow": {"corner": 3, "turn": 1, "top": 10, "left": 9},
                        "dashes": [
                            {"kind": 2, "top": 7, "left": 18},
                            {"kind": 2, "top": 16, "left": 3},
                        ],
                    },
                ],
                "which": "1.-1",
                "patch": 12,
            },
            stored=("arrow",),
            scripts=("vit-model",),
        ),
        Figure(
            "drawing",
            "What does it make of your drawing?",
            "A vision transformer of the same size that learned from wobbly drawings. Draw letters "
            "into the corners and an arrow in the middle, by mouse or finger, or with the pen's "
            "sliders. Colour is where [CLS] looks. Leave patches out and watch the answer.",
            "notebooks/12-vision",
            data={"which": "1.-1", "first": 4, "across": 4, "down": 4},
            stored=("drawing",),
            scripts=("vit-model",),
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
            "number-formats",
            "What do 16 bits lose?",
            "A value as sign, exponent and mantissa in three formats, and the gradients of a small "
            "GPT. What is too small for float16 becomes 0. A larger batch makes each gradient "
            "smaller; a loss that is multiplied makes it larger.",
            "notebooks/14-training-at-scale",
            data={
                "formats": [["float32", 8, 23], ["bfloat16", 8, 7], ["float16", 5, 10]],
                "start": -1,
                "tokens": 20,
                "scale": 0,
            },
            stored=("underflow",),
        ),
        Figure(
            "sharding",
            "What must each worker hold?",
            "A model of 7 billion weights, trained with Adam in 32-bit numbers. Choose what the "
            "workers share out, and step through a training step. Activations are not counted: "
            "they depend on the batch.",
            "notebooks/14-training-at-scale",
            data={
                "parameters": 7_000_000_000,
                "layers": 32,
                "counts": [1, 2, 4, 8, 16, 32, 64],
                "workers": 4,
                "stage": 0,
                "moment": 2,
                "room": 80_000_000_000,
            },
        ),
        Figure(
            "inside",
            "What do a decoder and an encoder compute?",
            "The small GPT of chapter 9 and the encoder of chapter 10 read the same text. See each "
            "tensor on the way from the ids to the probabilities, with its shape. A line marks "
            "numbers below zero. Switch off a mask, the positions or a head, and see what changes.",
            "book/explore",
            data={"text": "she sang a long low note", "most": 16, "start": 8, "bars": 12, "gap": 1},
            stored=("writer", "gaps"),
            scripts=("gpt-model", "reader-model", "opened"),
        ),
        Figure(
            "stacks",
            "What do the two stacks compute?",
            "The translator of chapter 11, its encoder and its decoder side by side. See each "
            "tensor with its shape. In cross-attention a row is a word written, and a column a "
            "word read. Switch off the mask, the positions or a head, and see what it writes.",
            "book/explore",
            data={
                "sentence": "siebenunddreißig",
                "languages": [
                    ["deutsch", "German"],
                    ["english", "English"],
                    ["français", "French"],
                ],
                "into": "english",
                "longest": 120,
                "start": 26,
                "bars": 12,
            },
            stored=("translator",),
            scripts=("translator-model", "opened"),
        ),
        Figure(
            "patches",
            "What does a Vision Transformer compute?",
            "The model of chapter 12 that follows an arrow. See each tensor with its shape, from "
            "the patches to the probabilities. Turn the arrow, switch off the positions or a head, "
            "and see what changes.",
            "book/explore",
            data={
                "letters": ["A", "T", "L", "X"],
                "arrow": {"corner": 1, "turn": 2},
                "start": 21,
                "bars": 6,
            },
            stored=("arrow",),
            scripts=("vit-model", "opened"),
        ),
    )
}
