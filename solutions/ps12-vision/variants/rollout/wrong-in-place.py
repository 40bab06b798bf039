# wrong: adds to the weights in place, and fills columns first
# loses: rollout--layers rollout--heads rollout--picture rollout--inputs rollout--by-hand
# told: changes the weights
def rollout(maps, rows, columns):
    I = torch.eye(maps[0].shape[-1], dtype=maps[0].dtype)
    R = I
    for A in maps:
        A += I
        R = A.mean(dim=1) / 2 @ R
    shares = R[:, 0, 1:]
    shares = shares / shares.sum(dim=-1, keepdim=True)
    return shares.reshape(-1, columns, rows).mT
