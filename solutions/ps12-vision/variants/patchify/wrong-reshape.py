# wrong: a reshape alone
# loses: patchify--by-hand patchify--channels patchify--sides patchify--back patchify--refused
# told: A reshape alone cuts no patches|A reshape alone puts no patches
def patchify(images, P, Q):
    B, C, X, Y = images.shape
    if X % P or Y % Q:
        raise ValueError(f"{P} by {Q} does not tile {X} by {Y}")
    return images.reshape(B, (X // P) * (Y // Q), P * Q * C)


def unpatchify(patches, P, Q, C, X, Y):
    B = len(patches)
    return patches.reshape(B, C, X, Y)


def patch_matrix(kernels):
    return kernels.permute(2, 3, 1, 0).flatten(0, 2)
