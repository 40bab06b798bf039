# wrong: PyTorch's packed net
# loses: bug--place bug--padding bug--same bug--empty bug--inputs
# told: writes by hand
def mended_states(x, lengths, W, U, b):
    net = torch.nn.RNN(W.shape[0], W.shape[1], batch_first=True)
    return net(x)[1][0]
