"""The live figures: their questions, captions and data.

This module has the figures for the models, chapters 8 to 12, and for the page that gathers them.
The imported modules have those for the other chapters.
"""

from __future__ import annotations

from coursebook.live import at_scale, before_attention, self_attention
from coursebook.live.figure import Figure
from coursebook.live.self_attention import SENTENCE
from coursebook.live.tours import TOURS

FIGURES = {
    one.name: one
    for one in (
        *before_attention.FIGURES,
        *self_attention.FIGURES,
        Figure(
            "residual-stream",
            "How different are the words still after many blocks?",
            "A stack of 24 random blocks, before any training. Remove the residual path, move "
            "the norm, change the initial weights, and follow the words from block to block.",
            "08-block",
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
            "What does the loss look like around a trained network?",
            "Two networks of six blocks with the same initial weights, trained to the same loss. "
            "The height is the loss when the weights are moved along two random directions. Turn "
            "the surfaces, change the viewing angle, and compare three such pairs.",
            "08-block",
            data={"pair": 0, "turn": 30, "tilt": 30},
            stored=("surface",),
        ),
        Figure(
            "merges",
            "How does a text become tokens?",
            "At first every byte is a token. Each merge joins a pair of adjacent tokens that was "
            "frequent in Shakespeare's plays. Go through the merges one by one, then type a text "
            "of your own.",
            "09-decoder",
            data={"text": "The newest note is the oldest: café", "longest": 120},
            stored=("merges",),
            scripts=("gpt-model",),
        ),
        Figure(
            "writer",
            "What comes next, and who chooses?",
            "A GPT with 3.3 million parameters, trained on Shakespeare's plays. Grey bars are its "
            "probabilities for the next token, dark bars the probabilities with your settings. Let "
            "it write, token by token.",
            "09-decoder",
            data={"text": "My lord, I would not", "longest": 400, "bars": 12, "many": 40},
            stored=("merges", "writer"),
            scripts=("gpt-model",),
        ),
        Figure(
            "cache",
            "What must be computed for the next token?",
            "One head of a decoder, token by token. With a cache, only the newest row is "
            "computed, and the keys and values of the rows above are kept. Without one, all rows "
            "are computed again. The output is the same.",
            "09-decoder",
            data={"words": SENTENCE.split(), "width": 4, "seed": 3, "token": 4},
        ),
        Figure(
            "hidden-word",
            "What does the right-hand context add?",
            "Two small BERTs that have read film reviews (Pang and Lee 2004, CC BY 4.0) guess the "
            "hidden word. They are built alike, but one sees both sides of the gap and the other "
            "only the left side. Hide another word, or type a sentence of your own, with ___ for "
            "the gap.",
            "10-encoder",
            data={
                # Three that the first model guesses and the second does not, and one for neither.
                "sentences": [
                    "others say the special effects are cheesy and that it's boring .",
                    "but that still does not make for a really good science fiction experience .",
                    "the only problem with the acting is eric roberts .",
                    "hopkins gives his usual excellent performance .",
                ],
                "hidden": [3, 10, 2, 4],
                "best": 5,
            },
            stored=("masked",),
            scripts=("bert-model",),
        ),
        Figure(
            "hiding",
            "What happens to a sentence before the model reads it?",
            "Of the chosen words, 80 % are replaced by [MASK], 10 % by another word, and 10 % "
            "are left as they are. The model must predict all of them. Draw several times, then "
            "change the share of chosen words.",
            "10-encoder",
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
            "The vectors of note in two sentences, compared by their cosine: from a look-up "
            "table, from a small encoder trained to predict hidden words, and from one trained "
            "to name the sense. Type sentences of your own.",
            "10-encoder",
            data={
                "first": "she left a folded note on the fridge for the landlord",
                "second": "he plucked the guitar strings ending with a high note",
                "longest": 16,
            },
            stored=("gaps", "reader"),
            scripts=("reader-model",),
        ),
        Figure(
            "translator",
            "Where does a translator look?",
            "A small Transformer that translates numbers and dates between German, English and "
            "French. Type one in any of the three. Each row of squares shows where it looked "
            "before it wrote the word on the left.",
            "11-encoder-decoder",
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
            "captions",
            "How is a whole sentence translated?",
            "A Transformer with 3.7 million parameters, trained on 29,000 captions of photographs. "
            "It writes pieces of words, one after another. Under the German pieces: the weight "
            "that each gets before the piece in the frame is written. Type a caption of your own, "
            "in German.",
            "11-encoder-decoder",
            data={"first": 0, "start": 5, "longest": 200, "wait": 350},
            stored=("captions",),
            scripts=("gpt-model", "translator-model"),
        ),
        Figure(
            "film",
            "How does a translator learn where to look?",
            "A small translator during training, on one sentence: what it writes after each number "
            "of steps, and where its last block looks before each word. Move the slider through "
            "the training.",
            "11-encoder-decoder",
            stored=("film",),
        ),
        Figure(
            "search",
            "Why keep several candidates?",
            "The film's model, after only 420 steps of training, translates 665 "
            "into French. The tree shows the texts that were kept and, at its tips, the words that "
            "could follow, with the log-probability of the whole text. Go step by step, then widen "
            "the beam.",
            "11-encoder-decoder",
            data={"start": 2, "width": "2", "shown": 3},
            stored=("search",),
        ),
        Figure(
            "arrow",
            "Where does a vision transformer look?",
            "A small vision transformer, trained to name the letter that the arrow points at. "
            "Turn the arrow, change the letters, and see which letter it names. The colour shows "
            "the attention of [CLS] to each of the 16 patches.",
            "12-vision",
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
            "The same model. Leave out patches by tapping them, or with the slider and the "
            "button. Solid bars are the probabilities with the patches that are left, dashed "
            "bars those with all patches.",
            "12-vision",
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
            "A vision transformer of the same size that learned from wobbly drawings. Draw "
            "letters in the corners and an arrow in the middle, with the mouse, a finger or the "
            "pen's sliders. The colour shows where [CLS] looks. Leave out patches and watch the "
            "answer.",
            "12-vision",
            data={"which": "1.-1", "first": 4, "across": 4, "down": 4},
            stored=("drawing",),
            scripts=("vit-model",),
        ),
        Figure(
            "map",
            "A whole model at once: what flows where?",
            "Trained models run in this page: decoders of captions and of Shakespeare, encoders of "
            "film reviews and of short sentences, and translators of captions and of numbers. What "
            "the model wrote is bold, its next guess grey. Point at a stage, or tap it, to see "
            "what it does.",
            "book/explore",
            data={
                "texts": {
                    "decoder": "The dog runs through the",
                    "larger decoder": "O, my good",
                    "review encoder": "he falls in ___ with her",
                    "encoder": "she sang a long low note",
                    "caption translator": "Zwei Hunde spielen im Schnee.",
                    "translator": "siebenunddreißig",
                },
                "reads": {  # by architecture; the first is shown at first
                    "decoder": {"decoder": "photo captions", "larger decoder": "Shakespeare"},
                    "encoder": {"review encoder": "film reviews", "encoder": "short sentences"},
                    "translator": {
                        "caption translator": "photo captions",
                        "translator": "numbers and dates",
                    },
                },
                "knows": {
                    "decoder": "It knows photos of people and dogs. Try:",
                    "larger decoder": "It knows Shakespeare's plays. Try:",
                    "review encoder": "It knows films. Type ___ for a gap:",
                    "encoder": "It knows notes, singers, letters. Try:",
                    "caption translator": "German captions into English:",
                    "translator": "It knows numbers and dates only. Try:",
                },
                "examples": {
                    "decoder": ["A chef is cooking in the", "A woman is reading a"],
                    "larger decoder": ["O, my good", "Tell me, where is"],
                    "review encoder": [
                        "they live in new ___ city",
                        "the special ___ are great",
                    ],
                    "encoder": ["the singer ___ a high note", "he left a note on the fridge"],
                    "caption translator": [
                        "Eine Frau liest ein Buch.",
                        "Ein Junge springt ins Wasser.",
                    ],
                    "translator": ["zwanzigtausend", "nine hundred and six"],
                },
                "striking": {  # without the mask, and without positions
                    "decoder": [
                        "A man in a red shirt is riding a bike",
                        "A group of people are standing in front of a building",
                    ],
                },
                "gap": 1,
                "languages": [
                    ["deutsch", "German"],
                    ["english", "English"],
                    ["français", "French"],
                ],
                "into": "english",
                "most": 12,
                "pieces": 12,
                "longest": 120,
                "bars": 8,
                "head": 1,
                "tours": TOURS,
                "lap": 17500,
                "step": 1300,
                "pace": 380,
                "run": 24,
            },
            stored=("map", "gaps", "merges", "writer", "translator", "masked", "captions"),
            scripts=(
                "gpt-model",
                "reader-model",
                "bert-model",
                "translator-model",
                "opened",
                "map-strip",
                "map-asks",
                "map-card",
                "map-lit",
                "map-frame",
                "map-heads",
                "map-lecture",
                "map-link",
                "map-models",
                "map-motion",
                "map-picture",
                "map-row",
                "map-views",
                "map-stage",
                "map-words",
            ),
            at_once=True,
            later=("merges", "writer", "translator", "masked", "captions"),
        ),
        Figure(
            "inside",
            "What do a decoder and an encoder compute?",
            "A small GPT, with the tokens of chapter 9, and a small encoder like that of chapter "
            "10 read the same text. See each tensor on the way from the ids to the probabilities, "
            "with its shape. Yellow marks numbers below zero, with a minus if there is room. "
            "Switch off a mask, the positions or a head, and see what changes.",
            "book/explore",
            data={"text": "he held a note for me", "most": 16, "start": 8, "bars": 12, "gap": 3},
            stored=("merges", "gaps"),
            scripts=("gpt-model", "reader-model", "opened"),
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
        *at_scale.FIGURES,
    )
}
