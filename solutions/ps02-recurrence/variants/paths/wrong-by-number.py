# wrong: takes nodes in order of their numbers
# loses: paths--any-order
# told: pairs or nodes to stand in order
def waiting(edges):
    depth = {}
    for a, b in sorted(edges):
        depth[b] = max(depth.get(b, 0), depth.get(a, 0) + 1)
    return max(depth.values(), default=0)



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
