right("computed", "two answers computed")
answers = {letter: letter in "dehln" for letter in "abcdefghijklmn"}
answers["a"] = round(0.15 * 0.8, 6) == 0.12
answers["b"] = round(0.15 * 0.1, 6) == 0.1

right("dict", "keyword arguments")
answers = dict(
    a=True,
    b=False,
    c=False,
    d=True,
    e=True,
    f=False,
    g=False,
    h=True,
    i=False,
    j=False,
    k=False,
    l=True,
    m=False,
    n=True,
)

wrong("all-true", "everything is true", match="it is False. A tenth of the chosen")
answers = dict.fromkeys("abcdefghijklmn", True)

wrong(
    "no-mask",
    "takes [CLS] to need no mask, and positions to come from a formula",
    match="padding gets a share",
)
answers = {letter: letter in "adehklm" for letter in "abcdefghijklmn"}

broken('"adehln"', '"adehl"')
broken('"adehln"', '"adehlmn"')
