# wrong: gradients stop at the weights
# loses: bug--gradients
# told: no gradient reaches u
def mended_pool(h, owner, u, B):
    mine = owner == torch.arange(B)[:, None]
    with torch.no_grad():
        a = torch.where(mine, h @ u, -1e30).softmax(-1) * mine
    return a @ h, a.sum(0)
