# wrong: a table of sentences in which an empty one is 0/0
# loses: bug--empty
# told: row is zeros
def mended_pool(h, owner, u, B):
    mine = owner == torch.arange(B)[:, None]
    a = torch.where(mine, h @ u, -math.inf).softmax(-1)
    return a @ h, a[owner, torch.arange(len(h))]
