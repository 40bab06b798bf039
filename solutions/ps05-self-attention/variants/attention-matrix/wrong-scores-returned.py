# wrong: returns the scores as the weights
# loses: attention-matrix--by-hand attention-matrix--values attention-matrix--batch
# told: are the scores, before the softmax
def attention(Q, K, V):
    scores = Q @ K.transpose(-2, -1)
    return scores.softmax(-1) @ V, scores
