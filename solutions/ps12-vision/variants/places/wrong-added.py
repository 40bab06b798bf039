# wrong: codes of row and column added up
# loses: places--by-hand places--pairs places--near places--edges places--refused
# told: You add up the codes
def grid_codes(rows, columns, d):
    theta = 10000.0 ** (-torch.arange(0, d, 2) / d)

    def code(n):
        angles = torch.arange(n)[:, None] * theta
        return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)

    return (code(rows)[:, None] + code(columns)).flatten(0, 1)
