@right("two-places", "two places")
def merge(first, second):
    merged, i, j = [], 0, 0
    while i < len(first) and j < len(second):
        if second[j] < first[i]:
            merged.append(second[j])
            j += 1
        else:
            merged.append(first[i])
            i += 1
    return merged + first[i:] + second[j:]


@right("recursive", "recursive")
def merge(first, second):
    if not first or not second:
        return [*first, *second]
    if second[0] < first[0]:
        return [second[0], *merge(first, second[1:])]
    return [first[0], *merge(first[1:], second)]


@wrong("one-after-the-other", says="The two lists stand one after the other.")
def merge(first, second):
    return first + second


@wrong("as-a-set", says="A number that is in both lists comes twice.")
def merge(first, second):
    return sorted({*first, *second})


@wrong("tuple", "returns a tuple", match="expected a list, got a tuple of 4")
def merge(first, second):
    return tuple(sorted(first + second))
