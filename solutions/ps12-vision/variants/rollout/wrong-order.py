# wrong: the product the other way round
# loses: rollout--by-hand rollout--layers rollout--heads rollout--picture rollout--inputs
# told: product runs the wrong way
def rollout(maps, rows, columns):
    I = torch.eye(maps[0].shape[-1], dtype=maps[0].dtype)
    R = I
    for A in maps:
        R = R @ ((A.mean(dim=1) + I) / 2)
    shares = R[:, 0, 1:]
    shares = shares / shares.sum(dim=-1, keepdim=True)
    return shares.reshape(-1, rows, columns)
