# wrong: calls itself too deep
# loses: paths--long
# told: recursion
def waiting(edges):
    from functools import cache

    made_of = {}
    for a, b in edges:
        made_of.setdefault(b, []).append(a)

    @cache
    def depth(node):
        return max((depth(a) + 1 for a in made_of.get(node, [])), default=0)

    return max((depth(node) for node in made_of), default=0)



def distance(edges, start, end):
    front, reached, steps = {start}, {start}, 0
    while front:
        if end in front:
            return steps
        front = {b for a, b in edges if a in front} - reached
        reached |= front
        steps += 1
    return -1



def calls(net, T, layers):
    if net == "attention":
        return layers
    return T * layers if net == "both ways" else T + layers - 1
