# wrong: exp without dividing by the sum
# loses: attention-loop--by-hand attention-loop--values attention-loop--large attention-loop--gradients attention-loop--precision
# told: not divided by their sum
def attention_loop(Q, K, V):
    outputs = []
    for q in Q:
        weights = [torch.exp(q.dot(k)) for k in K]
        outputs.append(sum(w * v for w, v in zip(weights, V)))
    return torch.stack(outputs)
