right("dict", "keyword arguments")
answers = dict(
    a=True,
    b=True,
    c=True,
    d=False,
    e=True,
    f=True,
    g=True,
    h=False,
    i=True,
    j=False,
    k=False,
    l=False,
)

right("false", "those that are false by name")
answers = {letter: letter not in "dhjkl" for letter in "abcdefghijkl"}

wrong("all-true", "everything is true", match="it is False. Those rows are strips")
answers = dict.fromkeys("abcdefghijkl", True)

wrong("one-missing", "one statement left out", match="l: not answered")
answers = {letter: letter in "abcefgi" for letter in "abcdefghijk"}

broken('"abcefgi"', '"abcefgij"')
broken('"abcefgi"', '"abcefg"')
