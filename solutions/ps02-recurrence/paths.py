@right("layers-peeled", "removes what waits for nothing, again and again")
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


@right("stack", "depth first with a stack of its own")
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


@right("plain", "the steps that the wrong answers below change", edited=True)
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
    return T * layers if net == "both ways" else T + layers - 1


@wrong(
    "all-arrows",
    "counts all arrows",
    says="This is the number of all arrows. Only the arrows on one path wait for each other.",
    spares=["distance", "calls"],
)
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


@wrong(
    "by-number",
    "takes nodes in order of their numbers",
    says=(
        "Your longest path is too short. Does your code assume that the pairs or nodes come in "
        "order? They may come in any order."
    ),
    loses=["any-order"],
)
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


wrong(
    "calls-attention-one",
    "attention without layers",
    says="Each layer reads the output of the layer below, so it waits for that layer.",
    loses=["calls"],
    edit=("return layers", "return 1"),
)

wrong(
    "calls-attention-tokens",
    "attention token by token",
    says="In self-attention no token waits for another: one unit reads all tokens of a layer.",
    loses=["calls"],
    edit=("return layers", "return T * layers"),
)

wrong(
    "calls-both-side-by-side",
    "both directions as one",
    says=(
        "The direction that reads from the right ends at the first token, so the next "
        "layer cannot begin before this one has read everything."
    ),
    loses=["calls"],
    edit=('T * layers if net == "both ways" else T', "T"),
)

wrong(
    "calls-both-twice",
    "one direction after the other",
    says="You count the two directions one after the other. They are read at the same time.",
    loses=["calls"],
    edit=("return T", "return 2 * T"),
)

wrong(
    "calls-layer-by-layer",
    "each layer waits for all of the one below",
    says=(
        "A layer need not wait until the one below has read the whole text. It can read "
        "token t as soon as the one below has, so the layers run in parallel, one token "
        "apart."
    ),
    loses=["calls"],
    edit=('layers if net == "both ways" else T + layers - 1', "layers"),
)

wrong(
    "calls-off-by-one",
    "T + layers",
    says=(
        "Off by one: the first layer takes one unit per token, and each further layer ends "
        "one unit later."
    ),
    loses=["calls"],
    edit=("layers - 1", "layers"),
)

wrong(
    "calls-one-layer",
    "forgets that layers wait",
    says="The upper layers have to wait for the first token of the layer below.",
    loses=["calls"],
    edit=("T + layers - 1", "T"),
)

wrong(
    "distance-back",
    "goes against the arrows",
    says="You go against the arrows: (a, b) leads from a to b, not back.",
    loses=["distance", "nets"],
    edit=("{b for a, b in edges if a in front}", "{a for a, b in edges if b in front}"),
)


@wrong(
    "distance-both",
    "goes along and against the arrows",
    says="You follow the arrows in both directions: (a, b) leads from a to b, not back.",
    loses=["distance"],
)
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
        front = (
            {b for a, b in edges if a in front} | {a for a, b in edges if b in front}
        ) - reached
        reached |= front
        steps += 1
    return -1


def calls(net, T, layers):
    if net == "attention":
        return layers
    return T * layers if net == "both ways" else T + layers - 1


@wrong(
    "distance-itself",
    says="From a node to itself no arrow is needed: that distance is 0.",
    loses=["distance"],
)
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
        front = {b for a, b in edges if a in front} - reached
        reached |= front
        steps += 1
        if end in front:
            return steps
    return -1


def calls(net, T, layers):
    if net == "attention":
        return layers
    return T * layers if net == "both ways" else T + layers - 1


@wrong(
    "distance-longest",
    "the longest path",
    says="This is the longest path. Return the shortest.",
    loses=["distance"],
)
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
    far, front, steps = -1, {start}, 0
    while front:
        if end in front:
            far = steps
        front = {b for a, b in edges if a in front}
        steps += 1
    return far


def calls(net, T, layers):
    if net == "attention":
        return layers
    return T * layers if net == "both ways" else T + layers - 1


wrong(
    "distance-nodes",
    "counts the nodes on the path",
    says="You count nodes. Count arrows: each is one operation.",
    loses=["distance", "nets"],
    edit=("{start}, 0", "{start}, 1"),
)

wrong(
    "distance-none",
    "None if there is no path",
    match="nothing comes back",
    loses=["distance"],
    edit=("return -1", "return None"),
)

wrong(
    "distance-zero",
    "0 if there is no path",
    says="If no path leads there, return -1.",
    loses=["distance"],
    edit=("return -1", "return 0"),
)

wrong(
    "empty",
    "fails without arrows",
    match="pass default=",
    loses=["by-hand"],
    edit=("max(depth.values(), default=0)", "max(depth.values())"),
)


@wrong(
    "in-given-order",
    "takes pairs in the given order",
    says=(
        "Your longest path is too short. Does your code assume that the pairs or nodes come in "
        "order? They may come in any order."
    ),
    loses=["any-order", "long"],
)
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


wrong(
    "last-writes",
    "the last path seen instead of the longest",
    says=(
        "Your path to a node is too short. A node waits for the last of its inputs, so the "
        "longest path counts."
    ),
    spares=["distance", "calls"],
    edit=(
        "max(depth[b], depth[a] + 1)",
        "depth[a] + 1 if b not in depth or depth[b] == 0 else depth[b]",
    ),
)

wrong(
    "nodes",
    "counts nodes",
    says="You count nodes. Count arrows: each is one operation, and a path of 5 nodes has 4.",
    spares=["distance", "calls"],
    edit=("max(depth.values(), default=0)", "max(depth.values(), default=-1) + 1"),
)

wrong(
    "pair-once",
    "a pair that comes twice is never ready",
    says="If a pair occurs twice, its node waits forever in your code. Count such a pair once.",
    loses=["by-hand", "any-order"],
    edit=("after.setdefault(a, []).append", "after.setdefault(a, set()).add"),
)


@wrong("recursive", "calls itself too deep", match="a stack of your own", loses=["long"])
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


wrong(
    "shortest",
    "the shortest path to each node",
    says=(
        "Your path to a node is too short. A node waits for the last of its inputs, so the "
        "longest path counts."
    ),
    spares=["distance", "calls"],
    edit=("max(depth[b], depth[a] + 1)", "min(depth[b] or 10**9, depth[a] + 1)"),
)

broken("made_of.setdefault(a, 0)", "made_of[a] = 0")
broken("max(depth[b], depth[a] + 1)", "max(depth[b] + 1, depth[a])")
broken("return steps", "return steps or -1")
broken("return T * layers", "return T + 2 * layers - 2")
