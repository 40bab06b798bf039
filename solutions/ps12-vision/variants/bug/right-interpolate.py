# right: PyTorch's own interpolation
def mended_resized(P, old, new):
    pixels = P[1:].T.reshape(1, -1, *old)
    pixels = F.interpolate(
        pixels, size=new, mode="bilinear", align_corners=True
    )
    return torch.cat([P[:1], pixels.flatten(2)[0].T])
