# right: a patch at a time
def patchify(images, P, Q):
    X, Y = images.shape[2:]
    if X != X // P * P or Y != Y // Q * Q:
        raise ValueError("patches must tile the image")
    pixels = images.movedim(1, 3)
    return torch.stack(
        [
            pixels[:, top : top + P, left : left + Q].flatten(1)
            for top in range(0, X, P)
            for left in range(0, Y, Q)
        ],
        dim=1,
    )


def unpatchify(patches, P, Q, C, X, Y):
    images = patches.new_zeros(len(patches), X, Y, C)
    n = 0
    for top in range(0, X, P):
        for left in range(0, Y, Q):
            patch = patches[:, n].view(-1, P, Q, C)
            images[:, top : top + P, left : left + Q] = patch
            n += 1
    return images.permute(0, 3, 1, 2)


def patch_matrix(kernels):
    return torch.stack([k.movedim(0, 2).flatten() for k in kernels], dim=1)
