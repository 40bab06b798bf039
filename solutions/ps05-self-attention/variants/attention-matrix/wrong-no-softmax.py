# wrong: the scores themselves weigh the values
# loses: attention-matrix--by-hand attention-matrix--values attention-matrix--batch attention-matrix--gradients attention-matrix--inputs
# told: the softmax is missing|must sum to 1
def attention(Q, K, V):
    scores = Q @ K.transpose(-2, -1)
    return scores @ V, scores
