right("computed", "some answers computed from the sizes")
D, F = 512, 2048
answers = dict.fromkeys("abcdefghijklmn", False)
for letter in "cdefn":
    answers[letter] = True
answers["k"] = 2 * D * F == 2 * (4 * D * D)

right("dict", "keyword arguments")
answers = dict(
    a=False,
    b=False,
    c=True,
    d=True,
    e=True,
    f=True,
    g=False,
    h=False,
    i=False,
    j=False,
    k=True,
    l=False,
    m=False,
    n=True,
)

wrong("all-true", "everything is true", match="it is False. Over the D numbers")
answers = dict.fromkeys("abcdefghijklmn", True)

wrong("batch-norm", "confuses layer norm with batch norm", match="it keeps none")
answers = {letter: letter in "abcefkn" for letter in "abcdefghijklmn"}

wrong(
    "linear",
    "thinks that two layers of attention are linear",
    match="only with fixed weights",
)
answers = {letter: letter in "cdefikn" for letter in "abcdefghijklmn"}

wrong(
    "mixing-ffn",
    "thinks that the feed-forward layer mixes tokens, and that costs double",
    match="moves anything between tokens",
)
answers = {letter: letter in "cdefjkln" for letter in "abcdefghijklmn"}

wrong("one-missing", "one statement left out", match="n: not answered")
answers = {letter: letter in "cdefk" for letter in "abcdefghijklm"}

wrong(
    "post-identity",
    "thinks that both orders are idle alike",
    match="norms are on the residual path",
)
answers = {letter: letter in "cdefgkn" for letter in "abcdefghijklmn"}

broken('"cdefkn"', '"cdefkln"')
broken('"cdefkn"', '"cdekn"')
