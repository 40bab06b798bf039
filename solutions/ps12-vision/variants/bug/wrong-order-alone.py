# wrong: only the order of the points is mended
# loses: bug--square bug--wide bug--high bug--old bug--class
# told: still takes their rows for columns
def mended_resized(P, old, new):
    table = P[1:].reshape(*old, -1)
    down = torch.linspace(0, old[0] - 1, new[0], dtype=P.dtype)
    across = torch.linspace(0, old[1] - 1, new[1], dtype=P.dtype)
    y, x = torch.meshgrid(down, across, indexing="ij")
    found = at(table, y, x)
    return torch.cat([P[:1], found.flatten(0, 1)])
