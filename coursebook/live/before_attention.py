"""The live figures of part I: words, recurrence, pooling and alignment."""

from __future__ import annotations

from coursebook.live.figure import Figure

FIGURES = (
    Figure(
        "pull-push",
        "What does one step of training do to the vectors?",
        "The observed neighbour and the centre word pull each other closer. Noise words and the "
        "centre word push each other apart. Take steps, then leave out the noise words and see "
        "what goes wrong.",
        "01-words",
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
        "Which words are nearest, and where does word arithmetic lead?",
        "Vectors of 3,000 words, counted in three million words of Wikipedia and film reviews. "
        "Type a word to see its nearest neighbours, walk from each word to the nearest, or try an "
        "analogy.",
        "01-words",
        data={"start": "france", "steps": 3},
        stored=("vectors",),
    ),
    Figure(
        "gradient",
        "How much of the gradient reaches the first word?",
        "A plain recurrent network with random weights and 16 hidden units. The curve is the "
        "norm of the last state's gradient with respect to the first word, on a logarithmic "
        "axis. Lengthen the sequence and scale up the matrix U.",
        "02-recurrence",
        data={"gain": 1.5, "length": 32, "low": -15, "high": 9},
        stored=("gradient",),
    ),
    Figure(
        "gates",
        "Which words does a gate let in?",
        "A small trained GRU reads a sentence and predicts after each word whether the verb must "
        "be plural. A dark square keeps the old value of a hidden unit, a light one lets a new "
        "value in. Type a sentence of your own.",
        "02-recurrence",
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
        "One query scores all words of a review, and the output is their weighted average. Turn "
        "the query towards opinions, praise, criticism or the other words. Make it longer to "
        "sharpen the weights. At length zero it gives the mean.",
        "03-pooling",
        data={
            "words": {
                "it's": [0.22, -2.32],
                "a": [-0.06, -2.54],
                "solid": [2.27, 0.64],
                "movie": [-2.24, -1.4],
                "about": [-0.83, -1.94],
                "people": [-0.14, -1.47],
                "whose": [0.63, -1.38],
                "lives": [0.76, -0.65],
                "are": [-0.16, -1.96],
                "anything": [-2.05, -0.04],
                "but": [-0.41, -2.28],
            },
            "v": [0.0, 0.2],
            "constant": -0.0625,
        },
    ),
    Figure(
        "film-review",
        "Which words decide what a review says?",
        "One learned query reads a film review. Each word has a weight, and a vote for bad or "
        "good. The weighted votes add up. Take out the words with the largest weights and see "
        "what is left. Then write a review of your own.",
        "03-pooling",
        data={
            "review": "it's a solid movie about people whose lives are anything but",
            "longest": 16,
            "loudest": 4,
        },
        stored=("reviews",),
    ),
    Figure(
        "alignment",
        "Where does the translator look before each word?",
        "A small recurrent translator with attention, from German number words to English. Give "
        "it a number of your own, in German or in digits. Each row of squares shows where it "
        "looked before it wrote the word on the left.",
        "04-alignment",
        data={"sentence": "siebenundzwanzig", "longest": 20},
        stored=("alignment",),
        scripts=("alignment-model",),
    ),
    Figure(
        "aligning",
        "How does an alignment form?",
        "The same translator during training, on 345,627: what it writes after a given number of "
        "steps, and where it looks before each word of the right answer. Frames mark the words "
        "with the same meaning. Move the slider through the training.",
        "04-alignment",
        stored=("aligning",),
    ),
)
