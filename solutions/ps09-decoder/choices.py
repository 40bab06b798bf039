right("dict", "keyword arguments")
answers = dict(
    a=True,
    b=False,
    c=False,
    d=True,
    e=False,
    f=True,
    g=False,
    h=True,
    i=False,
    j=True,
    k=False,
    l=False,
)

right("loop", "those that are true by name")
true = {"a", "d", "f", "h", "j"}
answers = {letter: letter in true for letter in "abcdefghijkl"}

wrong("all-true", "everything is true", match="it is False. The order in which")
answers = dict.fromkeys("abcdefghijkl", True)

wrong("one-missing", "one statement left out", match="l: not answered")
answers = {letter: letter in "adfhj" for letter in "abcdefghijk"}

broken('"adfhj"', '"adfhjl"')
broken('"adfhj"', '"adfh"')
