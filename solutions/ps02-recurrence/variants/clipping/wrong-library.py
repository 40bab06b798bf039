# wrong: PyTorch's clipping
# loses: clipping--by-hand clipping--values clipping--short clipping--zeros clipping--precision clipping--inputs
# told: clips for you
def clipped(gradients, c):
    parameters = [torch.nn.Parameter(g.clone()) for g in gradients]
    for p in parameters:
        p.grad = p.detach().clone()
    torch.nn.utils.clip_grad_norm_(parameters, c)
    return [p.grad for p in parameters]
