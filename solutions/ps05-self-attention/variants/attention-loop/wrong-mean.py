# wrong: the weights are computed and never used
# loses: attention-loop--by-hand attention-loop--values attention-loop--large attention-loop--gradients attention-loop--precision
# told: plain mean
def attention_loop(Q, K, V):
    outputs = []
    for q in Q:
        weights = torch.softmax(K @ q, dim=0)
        outputs.append(sum(v for v in V) / len(weights) + 0 * weights.sum())
    return torch.stack(outputs)
