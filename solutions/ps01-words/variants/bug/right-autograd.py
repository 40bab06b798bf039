# right: PyTorch's gradient of the loss
def mended_step(W, V, centre, context, negatives, rate):
    W, V = W.clone().requires_grad_(), V.clone().requires_grad_()
    words = torch.cat([context[:, None], negatives], dim=1)
    scores = (V[words] * W[centre][:, None]).sum(-1)
    scores = torch.cat([-scores[:, :1], scores[:, 1:]], dim=1)
    loss = torch.logaddexp(scores, torch.zeros_like(scores)).sum()
    dW, dV = torch.autograd.grad(loss, (W, V))
    return (W - rate * dW).detach(), (V - rate * dV).detach()
