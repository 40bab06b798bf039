# wrong: counts all arrows
# loses: paths--by-hand paths--any-order paths--nets paths--long
# told: number of all arrows
def waiting(edges):
    return len(edges)



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
