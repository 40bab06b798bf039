# wrong: one softmax over all words
# loses: bug--far bug--company bug--large bug--empty bug--gradients bug--same
# told: words of all sentences together
def mended_pool(h, owner, u, B):
    a = (h @ u).softmax(0)
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a
