# wrong: the softmax runs over the queries
# loses: attention-loop--by-hand attention-loop--values attention-loop--large attention-loop--gradients attention-loop--precision
# told: over the queries, not over the keys
def attention_loop(Q, K, V):
    columns = []
    for k in K:
        columns.append(torch.stack([q.dot(k) for q in Q]).softmax(0))
    weights = torch.stack(columns, dim=1)
    outputs = []
    for row in weights:
        outputs.append(sum(w * v for w, v in zip(row, V)))
    return torch.stack(outputs)
