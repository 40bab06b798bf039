# wrong: what does not fit is cut off
# loses: patchify--refused
# told: Raise a ValueError
def patchify(images, P, Q):
    B, C, X, Y = images.shape
    if X % P or Y % Q:
        X, Y = X // P * P, Y // Q * Q
        images = images[:, :, :X, :Y]
    x = images.reshape(B, C, X // P, P, Y // Q, Q)
    x = x.permute(0, 2, 4, 3, 5, 1)
    return x.reshape(B, (X // P) * (Y // Q), P * Q * C)


def unpatchify(patches, P, Q, C, X, Y):
    B = len(patches)
    x = patches.reshape(B, X // P, Y // Q, P, Q, C)
    x = x.permute(0, 5, 1, 3, 2, 4)
    return x.reshape(B, C, X, Y)


def patch_matrix(kernels):
    return kernels.permute(2, 3, 1, 0).flatten(0, 2)
