# right: keyword arguments
answers = dict(
    a=True, b=False, c=False, d=True, e=True, f=False, g=False,
    h=True, i=False, j=False, k=False, l=True, m=False, n=True,
)
