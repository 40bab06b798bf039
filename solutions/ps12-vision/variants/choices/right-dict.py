# right: keyword arguments
answers = dict(
    a=True, b=True, c=True, d=False, e=True, f=True,
    g=True, h=False, i=True, j=False, k=False, l=False,
)
