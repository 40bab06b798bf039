# right: a place at a time
def grid_codes(rows, columns, d):
    if d % 4 != 0:
        raise ValueError("half of d must be even")
    codes = []
    for r in range(rows):
        for c in range(columns):
            code = []
            for n in (r, c):
                for i in range(d // 4):
                    angle = n / 10000 ** (4 * i / d)
                    code += [math.sin(angle), math.cos(angle)]
            codes.append(code)
    return torch.tensor(codes)
