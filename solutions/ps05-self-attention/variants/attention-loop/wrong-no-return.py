# wrong: forgets to return
# loses: attention-loop--by-hand attention-loop--values attention-loop--large attention-loop--gradients attention-loop--precision
# told: is there a `return`
def attention_loop(Q, K, V):
    outputs = []
    for q in Q:
        weights = torch.softmax(K @ q, dim=0)
        outputs.append(sum(w * v for w, v in zip(weights, V)))
    torch.stack(outputs)
