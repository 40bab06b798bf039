right("dict", "keyword arguments")
answers = dict(
    a=True,
    b=False,
    c=True,
    d=True,
    e=False,
    f=True,
    g=True,
    h=False,
    i=True,
    j=True,
    k=False,
    l=False,
    m=True,
    n=False,
)

right("loop", "set one after the other")
answers = {}
for letter in "abcdefghijklmn":
    answers[letter] = letter in "acdfgijm"

wrong("all-true", "everything is true", match="it is False. The words have 2, 3, 4")
answers = {letter: letter in "abcdefghijklmn" for letter in "abcdefghijklmn"}

wrong(
    "context",
    "takes a looked-up vector to know its sentence",
    match="the same row in every sentence",
)
answers = {letter: letter in "acdfgijmn" for letter in "abcdefghijklmn"}

wrong("no-collapse", "thinks that the loss needs no negatives", match="keep words apart")
answers = {letter: letter in "acdfgim" for letter in "abcdefghijklmn"}

wrong("one-missing", "one statement left out", match="n: not answered")
answers = {letter: letter in "acdfgijm" for letter in "abcdefghijklm"}

wrong(
    "probability",
    "takes the sigmoid for a probability over words",
    match="do not sum to 1 over the words",
)
answers = {letter: letter in "acdfghijm" for letter in "abcdefghijklmn"}

wrong("words", "answers in words", match="without quotation marks")
answers = {letter: "True" if letter in "acdfgijm" else "False" for letter in "abcdefghijklmn"}

broken('"acdfgijm"', '"acdfgijkm"')
broken('"acdfgijm"', '"acfgijm"')
