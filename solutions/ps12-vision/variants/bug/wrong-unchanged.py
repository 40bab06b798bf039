# wrong: as it was
# loses: bug--wide bug--high bug--old
# told: This is what `published_resized` does
def mended_resized(P, old, new):
    return published_resized(P, old, new)
