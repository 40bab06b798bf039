"""The live figures of part I: words, recurrence, pooling and alignment."""

from __future__ import annotations

from coursebook.live.figure import Figure

FIGURES = (
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
)
