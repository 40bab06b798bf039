# right: keyword arguments
answers = dict(
    a=True, b=False, c=True, d=True, e=False, f=False, g=False,
    h=True, i=True, j=True, k=True, l=True, m=False, n=True,
)
