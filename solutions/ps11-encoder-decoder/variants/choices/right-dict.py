# right: keyword arguments
answers = dict(
    a=True, b=False, c=True, d=False, e=False, f=False, g=False,
    h=True, i=True, j=True, k=False, l=False, m=False, n=True,
)
