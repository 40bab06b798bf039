# wrong: exp of the scores as they are
# loses: attention-loop--large
# told: take the largest score away
def attention_loop(Q, K, V):
    outputs = []
    for q in Q:
        exps = torch.stack([torch.exp(q.dot(k)) for k in K])
        weights = exps / exps.sum()
        outputs.append(sum(w * v for w, v in zip(weights, V)))
    return torch.stack(outputs)
