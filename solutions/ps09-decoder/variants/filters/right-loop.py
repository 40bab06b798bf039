# right: row by row in Python
def keep_top_k(logits, k):
    result = torch.full_like(logits, -math.inf)
    for b, row in enumerate(logits.tolist()):
        lowest = sorted(row, reverse=True)[min(k, len(row)) - 1]
        for v, number in enumerate(row):
            if number >= lowest:
                result[b, v] = logits[b, v]
    return result


def keep_top_p(logits, p):
    result = torch.full_like(logits, -math.inf)
    for b, row in enumerate(logits.double().softmax(-1).tolist()):
        total = 0.0
        for v in sorted(range(len(row)), key=lambda v: -row[v]):
            if total >= p and p < 1:
                break
            result[b, v] = logits[b, v]
            total += row[v]
    return result
