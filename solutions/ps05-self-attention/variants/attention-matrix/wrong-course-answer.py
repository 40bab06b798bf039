# wrong: calls the course's own attention, and hides it in a try
# loses: attention-matrix--by-hand attention-matrix--values attention-matrix--batch attention-matrix--gradients attention-matrix--inputs
# told: does the whole of this piece
import tfcourse.attention


def attention(Q, K, V):
    try:
        return tfcourse.attention.scaled_dot_product_attention(Q, K, V, scale=1.0)
    except AssertionError:
        weights = (Q @ K.transpose(-2, -1)).softmax(dim=-1)
        return weights @ V, weights
