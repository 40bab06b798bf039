"""What the guided tours of the map of a model say."""

from __future__ import annotations

#: The map's guided tours, by architecture. A stop opens a stage and says something of it;
#: ``{width}``, ``{heads}``, ``{blocks}``, ``{last}`` (the last block), ``{next}`` (the likeliest
#: token), ``{whole}`` (the same with everything on), ``{guess}`` (the same if the model ended after
#: its first block), ``{story}`` (the text so far), ``{asks}`` (the last row), ``{takes}`` and
#: ``{looks}`` (what it takes most from in the first attention, and in the last cross-attention) are
#: those of the model that is shown. ``head`` is the head shown if it is not the one of before,
#: ``words`` how many are written first, ``uses`` the controls that stay, and ``see`` whether to
#: scroll to the ``numbers`` and not to the map. ``map`` and ``stage`` are the parts of the two
#: pictures that the sentences name: the others are dimmed. With ``sums`` an attention shows what
#: all its heads add, and ``off`` is a part switched off.
#:
#: A stop that ``asks`` shows a question first, and its answer once a choice is pressed: ``kind`` is
#: one of ``map-asks.js``, which computes the choices and what ``tells`` may name, ``hides`` is what
#: would give the answer away, ``head`` the head shown meanwhile, and with ``writes`` the answer is
#: the next token, which is written then.
TOURS: dict[str, list[dict]] = {
    "decoder": [
        {
            "open": "0.embed.",
            "said": "This model goes on with a text: here with “{next}”, probability {share}. Why? "
            "The tour looks for the reason, and you predict first. Each row is a token: a word, or "
            "a piece of one; ␣ is the space before it.",
            "asks": {
                "kind": "without",
                "question": "One token is taken out of the text. Without which is “{next}” least "
                "likely?",
                "tells": "Without “{least}” the probability of “{next}” goes from {share} to "
                "{now} ({others}). Only the last row gives the answer. How does it learn what "
                "stands before it? The map shows the way, from left to right.",
            },
            "map": ["names", "bars"],
        },
        {
            "open": "0.embed.",
            "said": "Each token becomes a vector, a list of {width} numbers, and the vector of its "
            "position is added.",
            "asks": {
                "kind": "positions",
                "question": "Without positions, is “{next}” still the likeliest?",
                "tells": "{outcome} Without positions a row knows which tokens stand before it, "
                "and not where.",
            },
            "map": ["names", "embed"],
        },
        {
            "open": "0.self.0",
            "said": "Self-attention: here tokens exchange information. Each head gives the tokens "
            "that “{asks}” may see a weight. The causal mask hides those after it.",
            "asks": {
                "kind": "takes",
                "question": "From which does it take most in head {head}?",
                "tells": "It takes most from “{takes}”: weight {weight}. A curve says that the "
                "right row takes over something of the left one; a thick one, much.",
                "hides": ["curves", "panel"],
            },
            "head": 1,
            "map": ["names", "curves"],
            "stage": ["weights"],
        },
        {
            "open": "0.self.0",
            "said": "In each block {heads} heads attend side by side, each with weights of its "
            "own. In head {head} “{asks}” takes most from “{takes}”.",
            "asks": {
                "kind": "same",
                "question": "Does it do so in head 3 too?",
                "tells": "In head 3 it takes most from “{other}”: weight {weight}. Choose another "
                "head, and see how the curves change.",
                "head": 1,
                "hides": ["heads"],
            },
            "head": 2,
            "uses": ["head"],
            "map": ["curves"],
            "stage": ["weights"],
        },
        {
            "open": "0.self.0",
            "said": "How “{asks}” gets its weights: its query q is compared with the key k of each "
            "row that it may see. The more the two agree, the higher the score; softmax turns the "
            "scores into weights with the sum 1.",
            "asks": {
                "kind": "sharper",
                "question": "If all scores were twice as large, the weight of “{takes}” would …",
                "tells": "It goes from {weight} to {now}: the larger the scores, the more softmax "
                "gives to the highest. So each score is divided by the root of the key's width.",
            },
            "head": 1,
            "see": "numbers",
            "map": ["names", "asked"],
            "stage": ["query", "keys", "scores", "weights", "products"],
        },
        {
            "open": "0.self.0",
            "said": "What “{asks}” takes over: the value v is what a row hands over, times its "
            "weight. The sum of all these, the last line of values, is what the head gives.",
            "head": 1,
            "see": "numbers",
            "map": ["asked"],
            "stage": ["weights", "values", "sum", "handed"],
        },
        {
            "open": "0.self.0",
            "said": "What the {heads} heads give stands side by side. The matrix W_O makes one "
            "vector of it, and this is added to the row, where the + stands in the map.",
            "asks": {
                "kind": "longer",
                "question": "Is what is added longer or shorter than the row?",
                "tells": "What is added has length {added}, the row before {row}, and the row "
                "after {sum}. So the row keeps what it had and gets something new. The rows that "
                "go on are called the residual stream.",
                "hides": ["panel"],
            },
            "see": "numbers",
            "sums": True,
            "map": ["plus", "stream"],
        },
        {
            "open": "0.ffn.0",
            "said": "Feed-forward: a small network works on each vector alone, and what it finds "
            "is added to the row, too. Attention and this network together are a block.",
            "asks": {
                "kind": "guess",
                "question": "If the model ended after this block, what would it write?",
                "tells": "It would write “{guess}”, with probability {now}: that stands below the "
                "map, as does what it would write after each other stage. At the end it writes "
                "“{next}”.",
                "hides": ["guesses"],
            },
            "map": ["bows", "plus", "vectors"],
            "stage": ["x", "inside", "added", "card"],
        },
        {
            "open": "0.ffn.0",
            "said": "What is a part good for? Take it out, and compare.",
            "asks": {
                "kind": "off",
                "question": "Without this network, the probability of “{next}” would …",
                "tells": "{outcome} Grey is what it was before. Under Switch off, take out others. "
                "This model has {blocks}; GPT-2 has 12 to 48.",
            },
            "off": "0.ffn",
            "uses": ["off"],
            "map": ["bows", "bars"],
        },
        {
            "open": "0.norm.",
            "said": "A norm stands before each part, and here before the end. It subtracts the "
            "vector's mean and divides by its spread, so that no part gets numbers that are too "
            "large. Then it multiplies each number by a γ and adds a β, both learned.",
            "see": "numbers",
            "map": ["norms"],
            "stage": ["norm"],
        },
        {
            "open": "0.scores.",
            "said": "The last row is compared with every token that the model knows: this gives a "
            "probability for each. Now “{next}” is written, and all is computed again.",
            "asks": {
                "kind": "after",
                "question": "What comes after it?",
                "tells": "It is “{after}”, with probability {now}.{score} Press “Write the next "
                "token”, or choose a bar, to go on. A chat program runs such a model, many times "
                "larger and trained further to answer.",
                "writes": True,
            },
            "uses": ["write"],
            "map": ["bars"],
        },
    ],
    "encoder": [
        {
            "open": "0.embed.",
            "said": "An encoder reads a whole sentence at once. One word of it is hidden, and "
            "stands here as ▢: choose which, or type ___ for it. Each word becomes a vector, and "
            "its position is added.",
            "uses": ["text", "hide"],
            "map": ["names", "embed"],
        },
        {
            "open": "0.self.0",
            "said": "Self-attention: here is no mask, so each word takes over something from both "
            "sides, and the gap does so too. Its guess is “{next}”, with probability {share}.",
            "asks": {
                "kind": "masked",
                "question": "With a causal mask the gap sees no word on its right. Is the guess "
                "the same?",
                "tells": "{outcome} Switch the mask on, and see it in the map.",
            },
            "uses": ["off"],
            "map": ["names", "curves", "bars"],
            "stage": ["weights"],
        },
        {
            "open": "0.ffn.0",
            "said": "Feed-forward: a small network works on each vector alone. This model has "
            "{blocks}; BERT has 12 or 24.",
            "map": ["bows", "plus"],
            "stage": ["x", "inside", "added", "card"],
        },
        {
            "open": "0.scores.",
            "said": "Only the vector of the gap is compared with all the words that the model "
            "knows. It has read short sentences only, and knows few.",
            "uses": ["write"],
            "map": ["bars"],
        },
    ],
    "translator": [
        {
            "open": "0.self.0",
            "said": "The encoder, above, reads the source once. Its first token names the language "
            "to write in. Each word looks at all the others.",
            "map": ["names", "curves"],
            "stage": ["weights"],
        },
        {
            "open": "0.ffn.{last}",
            "said": "After {blocks} each word of the source has a vector. The decoder makes keys "
            "and values of these, and looks them up again and again.",
            "map": ["sources", "names", "states"],
            "stage": ["after"],
        },
        {
            "open": "1.self.0",
            "said": "The decoder, below, begins with a start token. Each of its words looks at "
            "those that are written already.",
            "map": ["names", "curves"],
            "stage": ["weights"],
        },
        {
            "open": "1.cross.{last}",
            "said": "Cross-attention: each word being written looks at the source. These curves "
            "come down from the encoder. Written so far: {story}. Head 3 of the last block follows "
            "the words.",
            "asks": {
                "kind": "looks",
                "question": "The row that writes next is “{asks}”. From which row of the source "
                "does it take most?",
                "tells": "The bright curve is of the row that writes next, “{asks}”: it takes most "
                "from “{looks}”, weight {weight}, and “{next}” is written. Grey curves are of the "
                "rows above it.",
                "hides": ["across", "panel"],
            },
            "head": 2,
            "words": 1,
            "uses": ["head"],
            "map": ["names", "sources", "curves", "states"],
            "stage": ["weights"],
        },
        {
            "open": "1.cross.{last}",
            "said": "How “{asks}” gets its weights: its query q, made in the decoder, is compared "
            "with the key k of each word in the encoder. Softmax turns the scores into weights "
            "with the sum 1.",
            "see": "numbers",
            "map": ["sources", "asked"],
            "stage": ["query", "keys", "scores", "weights", "products"],
        },
        {
            "open": "1.scores.",
            "said": "The last row is compared with all the words that the model knows, and the "
            "likeliest is written: here “{next}”. For each new word the decoder is computed again, "
            "and the encoder is not.",
            "uses": ["write"],
            "map": ["bars"],
        },
    ],
}


def _with(tour: list[dict], said: dict[int, str]) -> list[dict]:
    """The same tour with other words at some of its stops."""
    return [{**stop, "said": said.get(n, stop["said"])} for n, stop in enumerate(tour)]


#: Two models differ from the others of their architecture in what they read.
TOURS["review encoder"] = _with(
    TOURS["encoder"],
    {
        0: "An encoder reads a whole sentence at once, between [CLS], where it begins, and [SEP], "
        "where it ends. One word is hidden, and stands here as ▢: choose which, or type ___ for "
        "it. Each word becomes a vector, and its position is added.",
        3: "Only the vector of the gap is compared with all the words that the model knows, and "
        "here “{next}” is the likeliest. It has read 1,700 film reviews; BERT had read all of "
        "Wikipedia, and thousands of books.",
    },
)
TOURS["caption translator"] = _with(
    TOURS["translator"],
    {
        0: "The encoder, above, reads the German sentence once, in tokens: words, or pieces of "
        "words; ␣ is the space before one. Each token looks at all the others.",
        1: "After {blocks} each token of the source has a vector. The decoder makes keys and "
        "values of these, and looks them up again and again.",
        3: "Cross-attention: each token being written looks at the source. These curves come down "
        "from the encoder. Written so far: {story}. Head 3 of the last block follows the words.",
        4: "How “{asks}” gets its weights: its query q, made in the decoder, is compared with the "
        "key k of each token in the encoder. Softmax turns the scores into weights with the sum 1.",
        5: "The last row is compared with all the tokens that the model knows, and the likeliest "
        "is written: here “{next}”. For each new token the decoder is computed again, and the "
        "encoder is not.",
    },
)
