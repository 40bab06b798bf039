# wrong: the order of the chapter, and of PyTorch's convolution
# loses: patchify--channels patchify--sides patchify--back patchify--matrix patchify--by-hand patchify--refused
# told: The channels stand first in (each of your patches|your rows)
def patchify(images, P, Q):
    B, C, X, Y = images.shape
    if X % P or Y % Q:
        raise ValueError(f"{P} by {Q} does not tile {X} by {Y}")
    x = images.reshape(B, C, X // P, P, Y // Q, Q)
    x = x.permute(0, 2, 4, 1, 3, 5)
    return x.reshape(B, (X // P) * (Y // Q), P * Q * C)


def unpatchify(patches, P, Q, C, X, Y):
    B = len(patches)
    x = patches.reshape(B, X // P, Y // Q, C, P, Q)
    x = x.permute(0, 3, 1, 4, 2, 5)
    return x.reshape(B, C, X, Y)


def patch_matrix(kernels):
    return kernels.flatten(1).T
