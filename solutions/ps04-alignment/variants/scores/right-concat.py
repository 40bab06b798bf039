# right: one tall matrix for both, side by side
def additive_scores(s, H, W_a, U_a, v_a):
    S = H.shape[1]
    both = torch.cat([s[:, None].expand(-1, S, -1), H], dim=-1)
    return torch.tanh(both @ torch.cat([W_a, U_a])) @ v_a


def general_scores(s, H, W):
    return torch.einsum("bi,ij,bsj->bs", s, W, H)
