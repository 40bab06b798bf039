"""What the guided tours of the map of a model say."""

from __future__ import annotations

#: The map's guided tours: which stage is opened, what is said of it, and which head is shown if
#: it is not the one of before.
TOURS = {
    "decoder": [
        [
            "0.embed.",
            "Each row is a token: a word, or a piece of one; ␣ is the space before it. A token "
            "becomes a vector, a list of 48 numbers, and its position is added. From here on, "
            "everything moves to the right.",
        ],
        [
            "0.self.0",
            "Attention: here tokens exchange information. A curve from one row to another says that"
            " the right one takes over something of the left one; a thick curve, that it takes over"
            " much. The causal mask lets no token see those after it.",
        ],
        [
            "0.self.0",
            "Four heads attend side by side, each with weights of its own. The picture shows one of"
            " them: choose another under Head, and see how the curves change. Below it are the "
            "numbers: a query, the keys, their products, and the weights.",
        ],
        [
            "0.ffn.0",
            "Feed-forward: a small network works on each vector alone. What attention and this "
            "network find is added to the row, which goes on. Both together are a block.",
        ],
        [
            "0.ffn.1",
            "The same two parts follow again, with other weights. This model has two blocks, the "
            "larger decoder has four, and the models of the GPT-2 family have 12 to 48.",
        ],
        [
            "0.scores.",
            "The last row is compared with every token that the model knows: this gives a "
            "probability for each. Press “Write the next token”, or choose a bar: the token is "
            "added to the text, and everything is computed again.",
        ],
    ],
    "encoder": [
        [
            "0.embed.",
            "An encoder reads a whole sentence at once. One word of it is hidden, and stands here "
            "as ▢: choose which, or type ___ for it. Each word becomes a vector, and its position "
            "is added.",
        ],
        [
            "0.self.0",
            "Attention: here is no mask, so each word takes over something from both sides, and "
            "the gap does so too. Switch the mask on, and see how the guess changes.",
        ],
        [
            "0.ffn.0",
            "Feed-forward: a small network works on each vector alone. This model has one block; "
            "BERT has 12 or 24.",
        ],
        [
            "0.scores.",
            "Only the vector of the gap is compared with all the words that the model knows. It "
            "has read short sentences only, and knows few.",
        ],
    ],
    "translator": [
        [
            "0.self.0",
            "The encoder, above, reads the source once. Its first token names the language to "
            "write in. Each word looks at all the others.",
        ],
        [
            "0.ffn.1",
            "After two blocks each word of the source has a vector. The decoder makes keys and "
            "values of these, and looks them up again and again.",
        ],
        [
            "1.self.0",
            "The decoder, below, begins with a start token. Each of its words looks at those that "
            "are written already.",
        ],
        [
            "1.cross.1",
            "Cross-attention: the word that is written next looks at the source. These curves come "
            "down from the encoder. Head 3 of the last block, shown here, follows the words. Below "
            "the picture you see how it gets its weights.",
            2,
        ],
        [
            "1.scores.",
            "The last row is compared with all the words that the model knows. Press “Write the "
            "next word”: the decoder is computed again, and the encoder is not.",
        ],
    ],
}
