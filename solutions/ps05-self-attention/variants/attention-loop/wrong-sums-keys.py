# wrong: weighs the keys in place of the values
# loses: attention-loop--by-hand attention-loop--values attention-loop--large attention-loop--gradients attention-loop--precision
# told: weigh the keys
def attention_loop(Q, K, V):
    outputs = []
    for q in Q:
        weights = torch.softmax(K @ q, dim=0)
        outputs.append(sum(w * k for w, k in zip(weights, K)))
    return torch.stack(outputs)
