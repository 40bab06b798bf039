# right: numbers of row and column from a grid, columns filled in
def grid_codes(rows, columns, d):
    if d // 4 * 4 != d:
        raise ValueError(d)
    r, c = torch.meshgrid(
        torch.arange(rows), torch.arange(columns), indexing="ij"
    )
    rate = torch.exp(-math.log(10000) * torch.arange(d // 4) / (d / 4))
    codes = torch.zeros(rows * columns, d)
    for start, n in (0, r), (d // 2, c):
        angle = n.reshape(-1, 1) * rate
        codes[:, start : start + d // 2 : 2] = angle.sin()
        codes[:, start + 1 : start + d // 2 : 2] = angle.cos()
    return codes
