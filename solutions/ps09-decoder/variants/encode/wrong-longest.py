# wrong: the longest token that fits
# loses: encode--rank encode--repeats
# told: longest token that fits
def encode(word, merges):
    spelt = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        spelt.append(spelt[left] + spelt[right])
    left, ids = word.encode(), []
    while left:
        fits = [i for i, token in enumerate(spelt) if left.startswith(token)]
        best = max(fits, key=lambda i: len(spelt[i]))
        ids.append(best)
        left = left[len(spelt[best]) :]
    return ids


def decode(ids, merges):
    spelt = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        spelt.append(spelt[left] + spelt[right])
    whole = b"".join(spelt[i] for i in ids)
    return whole.decode(errors="replace")
