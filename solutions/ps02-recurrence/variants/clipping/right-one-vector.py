# right: all in one vector, split again
def clipped(gradients, c):
    everything = torch.cat([g.reshape(-1) for g in gradients])
    norm = everything.norm()
    everything = everything * torch.where(norm > c, c / norm, 1.0)
    parts = everything.split([g.numel() for g in gradients])
    return [part.reshape(g.shape) for part, g in zip(parts, gradients)]
