# right: distance by distance, both directions at once, a tensor for the share
def window_pairs(text, m):
    pairs = []
    for words in text:
        for d in range(1, m + 1):
            for left, right in zip(words, words[d:]):
                pairs += [(right, left), (left, right)]
    return tuple(pairs)


def share_taken(m, d):
    reach = torch.arange(1, m + 1)
    return (reach >= d).double().mean()
