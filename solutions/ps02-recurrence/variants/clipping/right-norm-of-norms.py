# right: the norm of the norms
def clipped(gradients, c):
    norm = torch.stack([torch.linalg.vector_norm(g) for g in gradients]).norm().item()
    if norm <= c:
        return [g.clone() for g in gradients]
    return [g / norm * c for g in gradients]
