# wrong: takes pairs as they stand
# loses: paths--any-order paths--long
# told: pairs or nodes to stand in order|longest way
def waiting(edges):
    depth = {}
    for a, b in edges:
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
