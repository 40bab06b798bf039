right("computed", "the answers are set one after the other, some as comparisons")
answers = dict.fromkeys("abcdefghijklmn", False)
for letter in "aceghm":
    answers[letter] = True
answers["f"] = (37, 37) == (3, 3)

right("dict", "keyword arguments")
answers = dict(
    a=True,
    b=False,
    c=True,
    d=False,
    e=True,
    f=False,
    g=True,
    h=True,
    i=False,
    j=False,
    k=False,
    l=False,
    m=True,
    n=False,
)

wrong("all-true", "everything is true", match="it is False. It is a vector")
answers = dict.fromkeys("abcdefghijklmn", True)

wrong("causal-order", "takes a causal mask to know no order", match="depends on the order")
answers = {letter: letter in "aceghkm" for letter in "abcdefghijklmn"}

wrong("one-missing", "one statement left out", match="n: not answered")
answers = {letter: letter in "aceghm" for letter in "abcdefghijklm"}

wrong("words", "answers in words", match="without quotation marks")
answers = {letter: "true" if letter in "aceghm" else "false" for letter in "abcdefghijklmn"}

wrong(
    "zeros-after-softmax",
    "takes zeros after the softmax for -inf before it",
    match="no longer sum to 1",
)
answers = {letter: letter in "aceghlm" for letter in "abcdefghijklmn"}

broken('"aceghm"', '"aceghim"')
broken('"aceghm"', '"acegh"')
