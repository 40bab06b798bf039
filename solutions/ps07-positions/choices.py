right("computed", "the answers are set one after the other, some as comparisons")
answers = dict.fromkeys("abcdefghijklmn", False)
for letter in "bcgjln":
    answers[letter] = True
answers["g"] = min(5, 4) == min(7, 4)

right("dict", "keyword arguments")
answers = dict(
    a=False,
    b=True,
    c=True,
    d=False,
    e=False,
    f=False,
    g=True,
    h=False,
    i=False,
    j=True,
    k=False,
    l=True,
    m=False,
    n=True,
)

wrong("all-true", "everything is true", match="it is False. The formula contains")
answers = dict.fromkeys("abcdefghijklmn", True)

wrong("always-less-alike", "assumes that codes get less alike with each step", match="swing")
answers = {letter: letter in "bcegjln" for letter in "abcdefghijklmn"}

wrong("one-missing", "one statement left out", match="n: not answered")
answers = {letter: letter in "bcgjln" for letter in "abcdefghijklm"}

wrong(
    "shaw-alike",
    "assumes that Shaw's bias depends only on the offset",
    match="another query, another bias",
)
answers = {letter: letter in "bcghjln" for letter in "abcdefghijklmn"}

wrong(
    "values-turned",
    "assumes that the values are turned too",
    match="only queries and keys are turned",
)
answers = {letter: letter in "bcgjlmn" for letter in "abcdefghijklmn"}

wrong("words", "answers in words", match="without quotation marks")
answers = {letter: "true" if letter in "bcgjln" else "false" for letter in "abcdefghijklmn"}

broken('"bcgjln"', '"bcgjl"')
broken('"bcgjln"', '"abcgjln"')
