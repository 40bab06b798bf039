# right: keyword arguments
answers = dict(
    a=True, b=False, c=True, d=True, e=False, f=True, g=True,
    h=False, i=True, j=True, k=False, l=False, m=True, n=False,
)
