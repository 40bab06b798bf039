# right: keyword arguments
answers = dict(
    a=True, b=True, c=True, d=False, e=False, f=False,
    g=True, h=True, i=False, j=True, k=False, l=True,
)  # fmt: skip
