# wrong: three matrix products where a loop is asked for
# loses: attention-loop--by-hand attention-loop--values attention-loop--gradients attention-loop--precision
# told: the loop that such a product hides
def attention_loop(Q, K, V):
    return torch.softmax(Q @ K.T, dim=-1) @ V
