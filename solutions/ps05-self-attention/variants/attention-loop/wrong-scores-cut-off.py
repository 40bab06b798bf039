# wrong: the weights are cut off, the values are not
# loses: attention-loop--gradients
# told: no gradient.*reaches Q
def attention_loop(Q, K, V):
    outputs = []
    for q in Q:
        scores = torch.tensor([q.dot(k).item() for k in K], dtype=V.dtype)
        weights = scores.softmax(0)
        outputs.append(sum(w * v for w, v in zip(weights, V)))
    return torch.stack(outputs)
