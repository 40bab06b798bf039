# right: keyword arguments
answers = dict(
    a=True, b=False, c=True, d=False, e=True, f=False, g=True,
    h=True, i=False, j=False, k=False, l=False, m=True, n=False,
)
