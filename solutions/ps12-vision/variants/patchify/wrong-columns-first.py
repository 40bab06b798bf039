# wrong: patches counted column by column
# loses: patchify--by-hand patchify--channels patchify--sides patchify--refused
# told: counted column by column
def patchify(images, P, Q):
    B, C, X, Y = images.shape
    if X % P or Y % Q:
        raise ValueError(f"{P} by {Q} does not tile {X} by {Y}")
    x = images.reshape(B, C, X // P, P, Y // Q, Q)
    x = x.permute(0, 4, 2, 3, 5, 1)
    return x.reshape(B, (X // P) * (Y // Q), P * Q * C)


def unpatchify(patches, P, Q, C, X, Y):
    B = len(patches)
    x = patches.reshape(B, X // P, Y // Q, P, Q, C)
    x = x.permute(0, 5, 1, 3, 2, 4)
    return x.reshape(B, C, X, Y)


def patch_matrix(kernels):
    return kernels.permute(2, 3, 1, 0).flatten(0, 2)
