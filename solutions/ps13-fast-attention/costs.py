@right("fractions", "whole numbers alone, products written out")
def naive_cost(n, d, size):
    scores = n * n
    strip = n * d
    return (2 * d * scores) * 2, size * 4 * (scores + strip)


def flash_cost(n, d, tile, size):
    tile_rows = (n + tile - 1) // tile
    numbers = n * d * (1 + tile_rows + tile_rows + 1)
    return 4 * d * n**2, numbers * size


def least_seconds(operations, moved, peak, bandwidth):
    intensity = operations / moved
    return operations / min(peak, intensity * bandwidth)


def cache_bytes(layers, kv_heads, d_k, words, size, window):
    if words > window:
        words = window
    return size * words * (d_k + d_k) * kv_heads * layers


@right("counted", "counted by loops over what is moved")
def naive_cost(n, d, size):
    strips = [n * d for _ in "QKVO"]
    squares = [n * n for _ in ("S written", "S read", "P written", "P read")]
    products = [2 * n * d * n, 2 * n * n * d]
    return sum(products), sum(strips + squares) * size


def flash_cost(n, d, tile, size):
    moved = 0
    for i in range(0, n, tile):
        rows = min(tile, n - i)
        moved += 2 * rows * d + 2 * n * d
    return sum([2 * n * d * n, 2 * n * n * d]), moved * size


def least_seconds(operations, moved, peak, bandwidth):
    arithmetic, memory = operations / peak, moved / bandwidth
    return arithmetic if arithmetic > memory else memory


def cache_bytes(layers, kv_heads, d_k, words, size, window):
    held = len(range(words)[-window:])
    return sum(held * kv_heads * d_k * size for _ in range(2 * layers))


wrong(
    "one-operation",
    "counts a multiplication and an addition as one",
    says=(
        "That is half of the operations: a multiplication and an addition are two, and "
        "there are two products."
    ),
    loses=["naive"],
    edit=("2 * 2 * n * n * d", "2 * n * n * d"),
)

wrong(
    "no-factor",
    says=(
        "A factor of 4 is missing: there are two products, each with multiplications and as many "
        "additions."
    ),
    loses=["naive", "flash"],
    edit=[
        ("2 * 2 * n * n * d", "n * n * d"),
        ("return 4 * n * n * d, (once", "return n * n * d, (once"),
    ],
)

wrong(
    "no-width",
    says="Each score takes d multiplications: a factor of d is missing.",
    loses=["naive", "flash"],
    edit=[
        ("2 * 2 * n * n * d", "2 * 2 * n * n"),
        ("return 4 * n * n * d, (once", "return 4 * n * n, (once"),
    ],
)

wrong(
    "linear",
    "takes the operations to grow with n",
    says=(
        "Your number of operations grows with n. Every word meets every word, so it must grow "
        "with n²."
    ),
    loses=["naive", "flash"],
    edit=[
        ("2 * 2 * n * n * d", "2 * 2 * n * d"),
        ("return 4 * n * n * d, (once", "return 4 * n * d, (once"),
    ],
)

wrong(
    "numbers",
    "counts numbers instead of bytes",
    says="You count numbers, not bytes. Multiply by size, the bytes of each number.",
    loses=["naive", "flash", "cache"],
    edit=[
        ("(4 * n * n + 4 * n * d) * size", "4 * n * n + 4 * n * d"),
        ("(once + again) * size", "once + again"),
        ("d_k * held * size", "d_k * held"),
    ],
)

wrong(
    "no-scores",
    says="You leave out the scores S and the weights P.",
    loses=["naive"],
    edit=("(4 * n * n + 4 * n * d) * size", "4 * n * d * size"),
)

wrong(
    "scores-alone",
    says="You leave out Q, K, V and O.",
    loses=["naive"],
    edit=("(4 * n * n + 4 * n * d) * size", "4 * n * n * size"),
)

wrong(
    "one-matrix",
    says="S and P are two matrices, each written and read: count n² four times, not once.",
    loses=["naive"],
    edit=("(4 * n * n + 4 * n * d) * size", "(n * n + 4 * n * d) * size"),
)

wrong(
    "no-output",
    says="You leave out O, which is written once.",
    loses=["naive", "flash"],
    edit=[
        ("(4 * n * n + 4 * n * d) * size", "(4 * n * n + 3 * n * d) * size"),
        ("once = 2 * n * d", "once = n * d"),
    ],
)

wrong(
    "written-only",
    "forgets that S and P are read again",
    says="S and P are written and read again: count n² four times, not twice.",
    loses=["naive"],
    edit=("(4 * n * n + 4 * n * d) * size", "(2 * n * n + 4 * n * d) * size"),
)

wrong(
    "fewer-operations",
    "takes flash attention to do half the operations",
    says=(
        "That is half of the operations: a multiplication and an addition are two, and "
        "there are two products."
    ),
    loses=["flash"],
    edit=("return 4 * n * n * d, (once", "return 2 * n * n * d, (once"),
)

wrong(
    "rounded-down",
    "forgets the last, narrower row of tiles",
    says="You leave out the last, narrower row of tiles. It reads K and V, too: round up.",
    loses=["flash"],
    edit=("math.ceil(n / tile)", "n // tile"),
)

wrong(
    "not-rounded",
    says=(
        "The last row of tiles reads K and V, too, even if it is narrower: round n / tile up to "
        "a whole number."
    ),
    loses=["flash"],
    edit=("math.ceil(n / tile)", "n / tile"),
)

wrong(
    "queries-again",
    "reads Q and writes O for each row of tiles too",
    says="Q is read once and O is written once. Only K and V are read for each row of tiles.",
    loses=["flash"],
    edit=("(once + again)", "(2 * again)"),
)

wrong(
    "read-once",
    "reads K and V once",
    says="You read K and V only once. They are read again for each row of tiles.",
    loses=["flash"],
    edit=("2 * n * d * tile_rows", "2 * n * d"),
)

wrong(
    "read-for-each-tile",
    says="K and V are read for each row of tiles, not for each tile.",
    loses=["flash"],
    edit=("2 * n * d * tile_rows", "2 * n * d * tile_rows * tile_rows"),
)

wrong(
    "tile-times",
    says="K and V are read for each row of tiles, and there are n / tile of them, not tile.",
    loses=["flash"],
    edit=("2 * n * d * tile_rows", "2 * n * d * tile"),
)

wrong(
    "no-values",
    says="You leave out V, which is read as often as K.",
    loses=["flash"],
    edit=("2 * n * d * tile_rows", "n * d * tile_rows"),
)

wrong(
    "keys-and-values-alone",
    says="You leave out Q and O.",
    loses=["flash"],
    edit=("(once + again)", "again"),
)

wrong(
    "scores-moved",
    "moves the scores as well",
    says="Scores and weights never leave the fast memory: flash attention moves no n² numbers.",
    loses=["flash"],
    edit=("(once + again)", "(once + again + 4 * n * n)"),
)

wrong(
    "faster-limit",
    "takes the limit that is reached last",
    says="Both limits apply at once: the slower one decides, not the faster.",
    loses=["seconds"],
    edit=("max(operations", "min(operations"),
)

wrong(
    "sum",
    "adds both times",
    says=(
        "Arithmetic and memory work at the same time in this model: take the larger, not the sum."
    ),
    loses=["seconds"],
    edit=("max(operations / peak, moved / bandwidth)", "operations / peak + moved / bandwidth"),
)

wrong(
    "memory-alone",
    says="You leave out the time that the arithmetic takes.",
    loses=["seconds"],
    edit=("max(operations / peak, moved / bandwidth)", "moved / bandwidth"),
)

wrong(
    "arithmetic-alone",
    says="You leave out the time that moving the bytes takes.",
    loses=["seconds"],
    edit=("max(operations / peak, moved / bandwidth)", "operations / peak"),
)

wrong(
    "upside-down",
    says="Your fractions are upside down: seconds = operations / (operations per second).",
    loses=["seconds"],
    edit=("max(operations / peak, moved / bandwidth)", "max(peak / operations, bandwidth / moved)"),
)

wrong(
    "speed",
    "gives operations per second",
    says=(
        "You return the speed, in operations per second. The time is the number of operations "
        "divided by the speed."
    ),
    loses=["seconds"],
    edit=("max(operations / peak, moved / bandwidth)", "min(peak, operations / moved * bandwidth)"),
)

wrong(
    "keys-only",
    "counts the keys and not the values",
    says="Each word has a key and a value: a factor of 2 is missing.",
    loses=["cache"],
    edit=("return 2 * layers", "return layers"),
)

wrong(
    "no-layers",
    says="The number of layers is missing: each layer has its own cache.",
    loses=["cache"],
    edit=("2 * layers * kv_heads * d_k * held * size", "2 * kv_heads * d_k * held * size"),
)

wrong(
    "no-heads",
    says="The number of key-value heads is missing: each has its own keys and values.",
    loses=["cache"],
    edit=("2 * layers * kv_heads * d_k * held * size", "2 * layers * d_k * held * size"),
)

wrong(
    "no-d_k",
    says="d_k is missing: a key has d_k numbers.",
    loses=["cache"],
    edit=("2 * layers * kv_heads * d_k * held * size", "2 * layers * kv_heads * held * size"),
)

wrong(
    "no-window",
    "counts every word",
    says="You count every word. A rolling cache holds at most window words.",
    loses=["cache"],
    edit=("min(words, window)", "words"),
)

wrong(
    "full-window",
    "counts a full window always",
    says="You count a full window. If fewer words have been read, the cache holds fewer.",
    loses=["cache"],
    edit=("min(words, window)", "window"),
)

broken("4 * n * n + 4 * n * d", "4 * n * n + 3 * n * d")
broken("once = 2 * n * d", "once = n * d")
broken("moved / bandwidth", "bandwidth / moved")
broken("layers * kv_heads * d_k", "layers * d_k")
