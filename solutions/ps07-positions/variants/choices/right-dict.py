# right: keyword arguments
answers = dict(
    a=False, b=True, c=True, d=False, e=False, f=False, g=True,
    h=False, i=False, j=True, k=False, l=True, m=False, n=True,
)
