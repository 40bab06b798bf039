# right: place by place
def smoothed_loss(logits, says, epsilon, pad):
    loss, N, V = 0.0, 0, logits.shape[-1]
    for b, t in (says != pad).nonzero().tolist():
        log_p = torch.log_softmax(logits[b, t], 0)
        loss = loss - (1 - epsilon) * log_p[says[b, t]] - epsilon * log_p.sum() / V
        N += 1
    return loss / N


def lowest_loss(V, epsilon):
    q = [1 - epsilon + epsilon / V] + [epsilon / V] * (V - 1)
    return math.fsum(-k * math.log(k) for k in q if k)
