# right: each sentence cut to its length
def look_back(scores, H, lengths):
    contexts, rows = [], []
    for e, states, n in zip(scores, H, lengths.tolist()):
        a = e[:n].softmax(dim=0)
        contexts.append(a @ states[:n])
        rows.append(torch.cat([a, e.new_zeros(len(e) - n)]))
    return torch.stack(contexts), torch.stack(rows)
