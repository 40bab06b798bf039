right("dict", "keyword arguments")
answers = dict(
    a=True,
    b=False,
    c=False,
    d=False,
    e=True,
    f=True,
    g=False,
    h=True,
    i=True,
    j=False,
    k=True,
    l=False,
    m=True,
    n=False,
)

right("loop", "set one after the other")
answers = {}
for letter in "abcdefghijklmn":
    answers[letter] = letter in "aefhikm"

wrong("all-true", "everything is true", match="it is False. W, U and b are the same")
answers = {letter: letter in "abcdefghijklmn" for letter in "abcdefghijklmn"}

wrong(
    "clipping-cures", "clipping as a cure for vanishing", match="What has vanished stays vanished"
)
answers = {letter: letter in "aefghikm" for letter in "abcdefghijklmn"}

wrong("input-sizes", "U as wide as the words", match="U takes a state to a state")
answers = {letter: letter in "cefhikm" for letter in "abcdefghijklmn"}

wrong("no-memory", "takes a step to be x W alone", match="That leaves out h U")
answers = {letter: letter in "adefhikm" for letter in "abcdefghijklmn"}

wrong("one-missing", "one statement left out", match="n: not answered")
answers = {letter: letter in "aefhikm" for letter in "abcdefghijklm"}

wrong("parallel-lstm", "gates as a way to compute all at once", match="each step still waits")
answers = {letter: letter in "aefhikmn" for letter in "abcdefghijklmn"}

wrong("skip-gram", "skip-gram as a recurrent net", match="nothing is multiplied over and over")
answers = {letter: letter in "aefhijkm" for letter in "abcdefghijklmn"}

wrong("words", "answers in words", match="without quotation marks")
answers = {letter: "True" if letter in "aefhikm" else "False" for letter in "abcdefghijklmn"}

broken('"aefhikm"', '"aefhilm"')
broken('"aefhikm"', '"aefhik"')
