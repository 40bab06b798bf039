# wrong: the course's own merges
# loses: encode--by-hand encode--rank encode--repeats encode--bytes encode--round-trip
# told: by hand
def encode(word, merges):
    from tfcourse.tokenizers.merges import apply_merges

    table = {tuple(pair): (r, 256 + r) for r, pair in enumerate(merges)}
    return apply_merges(list(word.encode()), table)


def decode(ids, merges):
    spelt = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        spelt.append(spelt[left] + spelt[right])
    whole = b"".join(spelt[i] for i in ids)
    return whole.decode(errors="replace")
