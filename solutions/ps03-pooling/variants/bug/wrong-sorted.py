# wrong: takes the words of a sentence to stand together
# loses: bug--company bug--empty bug--gradients bug--same
# told: weights|vectors
def mended_pool(h, owner, u, B):
    sizes = torch.bincount(owner, minlength=B).tolist()
    parts = list(zip((h @ u).split(sizes), h.split(sizes), strict=True))
    vectors = [r.softmax(0) @ x for r, x in parts]
    return torch.stack(vectors), torch.cat([r.softmax(0) for r, _ in parts])
