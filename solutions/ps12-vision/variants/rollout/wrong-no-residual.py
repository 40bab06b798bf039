# wrong: no residual path
# loses: rollout--by-hand rollout--layers rollout--heads rollout--picture rollout--inputs
# told: residual path is missing
def rollout(maps, rows, columns):
    I = torch.eye(maps[0].shape[-1], dtype=maps[0].dtype)
    R = I
    for A in maps:
        R = A.mean(dim=1) @ R
    shares = R[:, 0, 1:]
    shares = shares / shares.sum(dim=-1, keepdim=True)
    return shares.reshape(-1, rows, columns)
