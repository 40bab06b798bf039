# wrong: the flat code of the number of the place
# loses: places--by-hand places--pairs places--near places--edges places--refused
# told: flat code of the place
def grid_codes(rows, columns, d):
    if d % 4:
        raise ValueError(f"d must be a multiple of 4, got {d}")
    theta = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angles = torch.arange(rows * columns)[:, None] * theta
    return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)
