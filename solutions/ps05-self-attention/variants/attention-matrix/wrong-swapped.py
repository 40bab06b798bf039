# wrong: keys and queries swapped
# loses: attention-matrix--by-hand attention-matrix--values attention-matrix--batch attention-matrix--gradients attention-matrix--inputs
# told: queries and keys are swapped
def attention(Q, K, V):
    scores = K @ Q.transpose(-2, -1)
    weights = scores.softmax(dim=-1)
    return weights @ V, weights
