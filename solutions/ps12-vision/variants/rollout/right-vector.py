# right: [CLS]'s row alone, carried back
def rollout(maps, rows, columns):
    row = torch.zeros_like(maps[-1][:, 0, 0])
    row[:, 0] = 1
    for A in maps[::-1]:
        row = row + torch.einsum("bt,bhts->bs", row, A) / A.shape[1]
    row = row[:, 1:]
    return (row / row.sum(1)[:, None]).view(-1, rows, columns)
