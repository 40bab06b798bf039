# wrong: calls the course's own
# loses: corrupt--by-hand corrupt--chosen corrupt--read corrupt--shares corrupt--edges corrupt--inputs
# told: writes by hand
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    from tfcourse.batching import mask_words

    return mask_words(x, candidates, mask=MASK, words=r.flatten(), share=share)
