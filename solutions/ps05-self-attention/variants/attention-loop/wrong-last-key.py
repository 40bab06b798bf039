# wrong: the loop over the keys ends one too early
# loses: attention-loop--by-hand attention-loop--values attention-loop--large attention-loop--gradients attention-loop--precision
# told: last key is left out
def attention_loop(Q, K, V):
    outputs = []
    for q in Q:
        scores = [q.dot(K[j]) for j in range(max(len(K) - 1, 1))]
        weights = torch.stack(scores).softmax(0)
        outputs.append(sum(w * v for w, v in zip(weights, V)))
    return torch.stack(outputs)
