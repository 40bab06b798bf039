# wrong: T + layers
# loses: paths--calls
# told: count once more
def waiting(edges):
    depth, edges = {}, list(edges)
    for a, b in edges:
        depth[a] = depth[b] = 0
    missing = {}
    after = {}
    for a, b in edges:
        missing[b] = missing.get(b, 0) + 1
        after.setdefault(a, []).append(b)
    ready = [n for n in depth if n not in missing]
    for a in ready:
        for b in after.get(a, []):
            depth[b] = max(depth[b], depth[a] + 1)
            missing[b] -= 1
            if not missing[b]:
                ready.append(b)
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
    return T * layers if net == "both ways" else T + layers
