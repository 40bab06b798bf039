# right: keyword arguments
answers = dict(
    a=False, b=False, c=True, d=True, e=True, f=True, g=False,
    h=False, i=False, j=False, k=True, l=False, m=False, n=True,
)
