right("dict", "keyword arguments")
answers = dict(
    a=False,
    b=False,
    c=True,
    d=True,
    e=True,
    f=False,
    g=True,
    h=False,
    i=True,
    j=False,
    k=False,
    l=False,
)

right("false", "those that are false by name")
answers = {letter: letter not in "abfhjkl" for letter in "abcdefghijkl"}

wrong("all-true", "everything is true", match="it is False. It is exact")
answers = dict.fromkeys("abcdefghijkl", True)

wrong(
    "fewer-scores", "takes shared keys to mean fewer scores", match="Fewer keys are kept and read"
)
answers = {letter: letter in "cdegij" for letter in "abcdefghijkl"}

wrong("one-missing", "one statement left out", match="l: not answered")
answers = {letter: letter in "cdegi" for letter in "abcdefghijk"}

broken('"cdegi"', '"cdegik"')
broken('"cdegi"', '"cdeg"')
