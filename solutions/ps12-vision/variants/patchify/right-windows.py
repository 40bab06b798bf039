# right: windows, and an order of places
def patchify(images, P, Q):
    B, C, X, Y = images.shape
    if X % P != 0:
        raise ValueError(f"{X} rows, patches of {P}")
    if Y % Q != 0:
        raise ValueError(f"{Y} columns, patches of {Q}")
    windows = images.unfold(2, P, P).unfold(3, Q, Q)
    windows = windows.flatten(2, 3)  # (B, C, N, P, Q)
    return torch.einsum("bcnpq->bnpqc", windows).flatten(2)


def unpatchify(patches, P, Q, C, X, Y):
    places = torch.arange(X * Y).view(1, 1, X, Y)
    places = patchify(places, P, Q).flatten()
    pixels = patches.reshape(len(patches), X * Y, C)
    images = torch.empty_like(pixels)
    images[:, places] = pixels
    return images.mT.unflatten(2, (X, Y))


def patch_matrix(kernels):
    return patchify(kernels, *kernels.shape[2:])[:, 0].T
