right("dict", "keyword arguments")
answers = dict(
    a=True,
    b=False,
    c=True,
    d=True,
    e=False,
    f=False,
    g=False,
    h=True,
    i=True,
    j=True,
    k=True,
    l=True,
    m=False,
    n=True,
)

right("loop", "the false ones named")
answers = {}
for letter in "abcdefghijklmn":
    answers[letter] = letter not in "befgm"

wrong("all-true", "everything is true", match="it is False. More fits")
answers = dict.fromkeys("abcdefghijklmn", True)

wrong("beam-always-better", "assumes that a wider beam is never worse", match="pushed out")
answers = {letter: letter in "acdhijklmn" for letter in "abcdefghijklmn"}

wrong(
    "dot-fits",
    "assumes that any two widths have a dot product",
    match="two vectors of the same width",
)
answers = {letter: letter in "acdijkln" for letter in "abcdefghijklmn"}

wrong("early-stop-safe", "assumes that stopping at K ends is safe", match="K short texts")
answers = {letter: letter in "acdhijkl" for letter in "abcdefghijklmn"}

wrong("explanation", "takes weights for proof", match="where the decoder looked")
answers = {letter: letter in "acdghijkln" for letter in "abcdefghijklmn"}

wrong("forcing", "thinks forcing changes the share right throughout", match="first mistake")
answers = {letter: letter in "acdhijln" for letter in "abcdefghijklmn"}

wrong("monotone", "assumes that the alignment runs from left to right", match="third piece")
answers = {letter: letter in "acehijkln" for letter in "abcdefghijklmn"}

wrong("one-missing", "one statement left out", match="n: not answered")
answers = {letter: letter in "acdhijkln" for letter in "abcdefghijklm"}

wrong("supervised", "assumes that partners are shown", match="Nobody names partners")
answers = {letter: letter in "acdfhijkln" for letter in "abcdefghijklmn"}

wrong("words", "answers in words", match="without quotation marks")
answers = {letter: "true" if letter in "acdhijkln" else "false" for letter in "abcdefghijklmn"}

broken('"acdhijkln"', '"acdhijklnm"')
broken('"acdhijkln"', '"acdhijln"')
