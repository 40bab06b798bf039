# right: each prompt alone
def mended_next(tokens, real, w):
    rows = []
    for ids, mask in zip(tokens, real):
        prompt = ids[mask][None]
        rows.append(published_next(prompt, prompt >= 0, w))
    return torch.cat(rows)
