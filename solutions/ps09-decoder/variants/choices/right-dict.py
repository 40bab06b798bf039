# right: keyword arguments
answers = dict(
    a=True, b=False, c=False, d=True, e=False, f=True,
    g=False, h=True, i=False, j=True, k=False, l=False,
)
