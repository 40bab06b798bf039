# wrong: as it was
# loses: bug--front bug--behind bug--both bug--padding
# told: This is what `published_next` does
def mended_next(tokens, real, w):
    return published_next(tokens, real, w)
