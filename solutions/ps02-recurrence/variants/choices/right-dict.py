# right: keyword arguments
answers = dict(
    a=True, b=False, c=False, d=False, e=True, f=True, g=False,
    h=True, i=True, j=False, k=True, l=False, m=True, n=False,
)
