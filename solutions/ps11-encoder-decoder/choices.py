right("computed", "some answers computed")
answers = dict.fromkeys("abcdefghijklmn", False) | dict.fromkeys("achj", True)
answers["i"] = 4000 / 4 == 1000
answers["n"] = 100 * math.exp(1 - 2) < 50

right("dict", "keyword arguments")
answers = dict(
    a=True,
    b=False,
    c=True,
    d=False,
    e=False,
    f=False,
    g=False,
    h=True,
    i=True,
    j=True,
    k=False,
    l=False,
    m=False,
    n=True,
)

wrong("all-true", "everything is true", match="it is False. The words not yet written")
answers = dict.fromkeys("abcdefghijklmn", True)

wrong("one-missing", "one statement left out", match="n: not answered")
answers = {letter: letter in "achij" for letter in "abcdefghijklm"}

broken('"achijn"', '"acehijn"')
broken('"achijn"', '"achin"')
