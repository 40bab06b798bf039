# right: place by place
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    rows, marks = [], []
    for b in range(len(x)):
        row, mark = [], []
        for t in range(x.shape[1]):
            hit = bool(candidates[b, t]) and c[b, t].item() < share
            kind = int(k[b, t].item() * 10)
            word = x[b, t].item()
            if hit and kind < 8:
                word = MASK
            elif hit and kind == 8:
                word = r[b, t].item()
            row.append(word)
            mark.append(hit)
        rows.append(row)
        marks.append(mark)
    return torch.tensor(rows), torch.tensor(marks)
