# right: true word and negatives in one tensor, minus the truth
def negative_sampling_gradients(w, v, negatives):
    words = torch.cat([v[:, None], negatives], dim=1)
    error = torch.sigmoid(torch.einsum("bnd,bd->bn", words, w))
    error[:, 0] -= 1
    error /= len(w)
    dwords = error[:, :, None] * w[:, None, :]
    return torch.einsum("bn,bnd->bd", error, words), dwords[:, 0], dwords[:, 1:]
