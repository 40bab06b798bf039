# right: depth first with a stack of its own
def waiting(edges):
    made_of = {}
    for a, b in edges:
        made_of.setdefault(b, set()).add(a)
        made_of.setdefault(a, set())
    depth, stack = {}, list(made_of)
    while stack:
        node = stack[-1]
        open_ = [a for a in made_of[node] if a not in depth]
        if open_:
            stack.extend(open_)
        else:
            depth[node] = max((depth[a] + 1 for a in made_of[node]), default=0)
            stack.pop()
    return max(depth.values()) if depth else 0



def distance(edges, start, end):
    far = {start: 0}
    changed = True
    while changed:
        changed = False
        for a, b in edges:
            if a in far and far[a] + 1 < far.get(b, 1e9):
                far[b] = far[a] + 1
                changed = True
    return far.get(end, -1)



def calls(net, T, layers):
    return {"recurrent": T + layers - 1, "both ways": T * layers, "attention": layers}[net]
