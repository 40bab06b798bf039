"""What a verb, and the *it* before it, attend to in a real encoder; chapter 6 opens with the *it*.

Of *it* the record keeps the weights of two heads whose roles ``real_encoder.py`` tests: the head of
the word before, and the head that leads from *it* to its noun.

For each relation of the verb the head is the one of 72 that gives its word most weight in the
chapter's own sentence. It is judged by the sentences with one noun of ``real_encoder.toml`` whose
verb has an object; they were written for another question. The control: how much the other words
give to the same word. The encoder lies where ``real_encoder.py`` says. Seconds on one thread.
"""

from __future__ import annotations

import torch
from real_encoder import MODEL, SAYS, Encoder, entry, folder, one, rounded

from coursebook.measuring import keep_record

#: The heads of the opening, and the word that asks there.
OPENING, IT = ("1.3", "4.2"), "it"
#: The verb of the chapter's sentence, and the words that it asks for.
VERB, ASKED = "recognize", {"subject": "it", "negation": "didn't", "object": "me"}
#: The verbs of the sentences with one noun that have an object. The subject is always *it*.
OBJECTS = {
    "know": "anyone", "hear": "thunder", "see": "needle", "trust": "me", "survive": "storm",
    "have": "memory", "carry": "address", "leave": "burrow", "climb": "stairs",
}  # fmt: skip


def measured(_quick: bool) -> dict[str, object]:
    """The heads, their rows in the chapter's sentence, and how they do in the others."""
    torch.set_num_threads(1)
    encoder = Encoder(folder())
    read = encoder.read(SAYS["guiding"]["mask"]["sentence"])
    asks, heads = read.place(VERB), {}
    for relation, word in ASKED.items():
        best = int(read.maps[:, :, asks, read.place(word)].argmax())
        heads[relation] = f"{best // 12 + 1}.{best % 12 + 1}"
    (others,) = (kind["sentences"] for kind in SAYS["it"] if kind["kind"] == "one noun")
    tests = [(s, verb, OBJECTS[verb]) for s, *_ in others for verb in s.split() if verb in OBJECTS]
    found = {}
    for relation, head in heads.items():
        counts, given, control = torch.zeros(3, 6, 12)
        for sentence, verb, noun in tests:
            words = {"subject": "it", "negation": "not", "object": noun}
            other = encoder.read(sentence)
            verb_at, at = other.place(verb), other.place(words[relation])
            inner = [i for i in range(1, len(other.words) - 1) if i not in (verb_at, at)]
            counts += other.most(verb) == at
            given += other.maps[:, :, verb_at, at] / len(tests)
            control += other.maps[:, :, inner, at].mean(-1) / len(tests)
        row = read.weights(head)[asks]
        found[relation] = {
            "word": ASKED[relation], "head": head, "right": one(counts, head),
            "from the verb": entry(given, head), "from other words": entry(control, head),
            "weights": [rounded(w) for w in row],
        }  # fmt: skip
    return {
        "model": MODEL, "words": read.words,
        "opening": {
            "asks": read.place(IT),
            "heads": {h: [rounded(w) for w in read.weights(h)[read.place(IT)]] for h in OPENING},
        },
        "asks": asks, "of": len(tests),
        "sentences": [sentence for sentence, *_ in tests], "relations": found,
    }  # fmt: skip


if __name__ == "__main__":
    keep_record("real-verbs", __doc__, measured, seed=0)
