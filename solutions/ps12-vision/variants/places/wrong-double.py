# wrong: codes of 64 bits
# loses: places--by-hand places--pairs places--edges places--near places--refused
# told: 32-bit floats are asked for
def grid_codes(rows, columns, d):
    if d % 4:
        raise ValueError(f"d must be a multiple of 4, got {d}")
    w = d // 2
    theta = 10000.0 ** (-torch.arange(0, w, 2) / w)

    def code(n):
        angles = torch.arange(n)[:, None] * theta
        return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)

    down = code(rows)[:, None].expand(rows, columns, w)
    across = code(columns).expand(rows, columns, w)
    return torch.cat([down, across], dim=2).flatten(0, 1).double()
