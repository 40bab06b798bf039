# wrong: the numbers pass through Python floats
# loses: attention-loop--gradients
# told: cut off from the inputs
def attention_loop(Q, K, V):
    outputs = []
    for q in Q:
        scores = torch.tensor([q.dot(k).item() for k in K], dtype=V.dtype)
        weights = scores.softmax(0).tolist()
        outputs.append(sum(w * v.detach() for w, v in zip(weights, V)))
    return torch.stack(outputs)
