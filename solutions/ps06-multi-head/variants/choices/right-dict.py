# right: keyword arguments
answers = dict(
    a=True, b=True, c=False, d=True, e=True, f=True, g=False, h=False,
    i=True, j=False, k=False, l=True, m=True, n=False, o=True, p=False,
)
