# wrong: the largest weight of the heads
# loses: rollout--heads rollout--picture
# told: largest weight of all heads
def rollout(maps, rows, columns):
    I = torch.eye(maps[0].shape[-1], dtype=maps[0].dtype)
    R = I
    for A in maps:
        R = (A.amax(dim=1) + I) / 2 @ R
    shares = R[:, 0, 1:]
    shares = shares / shares.sum(dim=-1, keepdim=True)
    return shares.reshape(-1, rows, columns)
