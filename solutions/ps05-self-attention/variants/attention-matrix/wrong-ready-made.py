# wrong: calls PyTorch's own attention
# loses: attention-matrix--by-hand attention-matrix--values attention-matrix--batch attention-matrix--gradients attention-matrix--inputs
# told: does the whole of this piece
from torch.nn.functional import scaled_dot_product_attention as look_up


def attention(Q, K, V):
    eye = torch.eye(K.shape[-2], dtype=V.dtype).expand(*K.shape[:-1], -1)
    weights = look_up(Q, K, eye, scale=1.0)
    return look_up(Q, K, V, scale=1.0), weights
