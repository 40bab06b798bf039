# wrong: computed under no_grad
# loses: attention-matrix--gradients
# told: cut off from the inputs
def attention(Q, K, V):
    with torch.no_grad():
        weights = (Q @ K.transpose(-2, -1)).softmax(dim=-1)
        return weights @ V, weights
