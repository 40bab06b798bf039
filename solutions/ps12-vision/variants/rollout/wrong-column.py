# wrong: the column of [CLS]
# loses: rollout--by-hand rollout--layers rollout--heads rollout--picture rollout--inputs
# told: which row or column of R
def rollout(maps, rows, columns):
    I = torch.eye(maps[0].shape[-1], dtype=maps[0].dtype)
    R = I
    for A in maps:
        R = (A.mean(dim=1) + I) / 2 @ R
    shares = R[:, 1:, 0]
    shares = shares / shares.sum(dim=-1, keepdim=True)
    return shares.reshape(-1, rows, columns)
