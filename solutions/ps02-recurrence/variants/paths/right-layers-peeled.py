# right: what waits for nothing is taken off, again and again
def waiting(edges):
    edges, depth = set(edges), -1
    nodes = {node for edge in edges for node in edge}
    after, missing = {}, dict.fromkeys(nodes, 0)
    for a, b in edges:
        after.setdefault(a, set()).add(b)
        missing[b] += 1
    front = {node for node in nodes if missing[node] == 0}
    while front:
        depth += 1
        following = set()
        for a in front:
            for b in after.get(a, ()):
                missing[b] -= 1
                if missing[b] == 0:
                    following.add(b)
        front = following
    return max(depth, 0)



def distance(edges, start, end):
    from collections import deque

    far, queue = {start: 0}, deque([start])
    while queue:
        node = queue.popleft()
        for a, b in edges:
            if a == node and b not in far:
                far[b] = far[a] + 1
                queue.append(b)
    return far.get(end, -1)



def calls(net, T, layers):
    done = {}
    for layer in range(1, layers + 1):
        for t in range(T):
            below = done.get((layer - 1, t), 0)
            before = done.get((layer, t - 1), 0)
            done[layer, t] = max(below, before) + 1
        if net != "recurrent":
            units = T if net == "both ways" else 1
            for t in range(T):
                done[layer, t] = layer * units
    return max(done.values())
