# wrong: begin as it was
# loses: bug--state bug--weights bug--context
# told: still does what it did
def mended_begin(X, lengths, W_x, W_h, b):
    return begin(X, lengths, W_x, W_h, b)
