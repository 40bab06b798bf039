right("computed", "some of them computed")
answers = {letter: letter in "abdefilmo" for letter in "abcdefghijklmnop"}
answers["a"] = 4 * 37 == 148
answers["c"] = 4 * 25 == 148
answers["d"] = 4 * 30 == 120

right("dict", "keyword arguments")
answers = dict(
    a=True,
    b=True,
    c=False,
    d=True,
    e=True,
    f=True,
    g=False,
    h=False,
    i=True,
    j=False,
    k=False,
    l=True,
    m=True,
    n=False,
    o=True,
    p=False,
)

wrong("all-true", "everything is true", match="it is False. W_O meets the heads")
answers = dict.fromkeys("abcdefghijklmnop", True)

wrong("eight-times", "assumes that heads multiply the cost", match="an eighth as wide")
answers = {letter: letter in "abdefhlmo" for letter in "abcdefghijklmnop"}

wrong("leak", "assumes that cross-attention leaks", match="given from the beginning")
answers = {letter: letter in "abdefilm" for letter in "abcdefghijklmnop"}

wrong("one-missing", "one statement left out", match="p: not answered")
answers = {letter: letter in "abdefilmo" for letter in "abcdefghijklmno"}

wrong("round-trip", "takes a round trip for a proof", match="where a single number lands")
answers = {letter: letter in "abdefgilmo" for letter in "abcdefghijklmnop"}

wrong("words", "answers in words", match="without quotation marks")
answers = {letter: "true" if letter in "abdefilmo" else "false" for letter in "abcdefghijklmnop"}

broken('"abdefilmo"', '"abdefilmop"')
broken('"abdefilmo"', '"abdefilm"')
