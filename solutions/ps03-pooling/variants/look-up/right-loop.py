# right: keys one after the other; the limit by sorting out the best
def soft_look_up(q, K, V, tau):
    r = torch.stack([(k * q).sum() / tau for k in K])
    e = (r - r.max()).exp()
    a = e / e.sum()
    return sum(w * v for w, v in zip(a, V, strict=True)), a


def hard_look_up(q, K, V):
    r = [float((k * q).sum()) for k in K]
    best = [j for j, score in enumerate(r) if score == max(r)]
    return torch.stack([V[j] for j in best]).sum(0) / len(best)
