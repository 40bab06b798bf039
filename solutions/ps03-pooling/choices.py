right("dict", "keyword arguments")
answers = dict(
    a=True, b=True, c=True, d=False, e=False, f=False,
    g=True, h=True, i=False, j=True, k=False, l=True,
)  # fmt: skip

right("loop", "set one after the other")
answers = {}
for letter in "abcdefghijkl":
    answers[letter] = letter in "abcghjl"

wrong("all-true", "everything is true", match="it is False. The scores double")
answers = {letter: True for letter in "abcdefghijkl"}

wrong("deletion-decides", "what is not missed was not used", match="other words may say the same")
answers = {letter: letter in "abcfghjl" for letter in "abcdefghijkl"}

wrong(
    "explained",
    "other weights prove the model's own to be mistaken",
    match="does not make one wrong",
)
answers = {letter: letter in "abcghijkl" for letter in "abcdefghijkl"}

wrong("one-missing", "one statement left out", match="l: not answered")
answers = {letter: letter in "abcghj" for letter in "abcdefghijk"}

wrong(
    "weights-only-help",
    "a heavy word can only support the prediction",
    match="not for which class it speaks",
)
answers = {letter: letter in "abchjl" for letter in "abcdefghijkl"}

wrong("words", "answers in words", match="without quotation marks")
answers = {letter: "True" if letter in "abcghjl" else "False" for letter in "abcdefghijkl"}

wrong("zeros-harmless", "zeros add nothing", match="they take weight")
answers = {letter: letter in "abceghjl" for letter in "abcdefghijkl"}

broken('"abcghjl"', '"abcghijl"')
broken('"abcghjl"', '"abcghj"')
