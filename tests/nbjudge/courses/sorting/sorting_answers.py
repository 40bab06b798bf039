"""Known answers to the problem set about sorting: two right and some wrong ones to each exercise.

A wrong one comes with the tests that it loses and words of what it is told. Among the tests are
those that a stub would pass too: their points wait for a test of values.
"""

RIGHT = {
    "is-sorted": [
        "def is_sorted(numbers):\n    return all(a <= b for a, b in zip(numbers, numbers[1:]))",
        "def is_sorted(numbers):\n"
        "    for place in range(1, len(numbers)):\n"
        "        if numbers[place] < numbers[place - 1]:\n"
        "            return False\n"
        "    return True",
    ],
    "merge": [
        "def merge(first, second):\n"
        "    merged, i, j = [], 0, 0\n"
        "    while i < len(first) and j < len(second):\n"
        "        if second[j] < first[i]:\n"
        "            merged.append(second[j])\n"
        "            j += 1\n"
        "        else:\n"
        "            merged.append(first[i])\n"
        "            i += 1\n"
        "    return merged + first[i:] + second[j:]",
        "def merge(first, second):\n"
        "    if not first or not second:\n"
        "        return [*first, *second]\n"
        "    if second[0] < first[0]:\n"
        "        return [second[0], *merge(first, second[1:])]\n"
        "    return [first[0], *merge(first[1:], second)]",
    ],
    "insertion-sort": [
        "def insertion_sort(numbers):\n"
        "    found = []\n"
        "    for number in numbers:\n"
        "        place = 0\n"
        "        while place < len(found) and found[place] <= number:\n"
        "            place += 1\n"
        "        found.insert(place, number)\n"
        "    return found",
        "import bisect\n\n"
        "def insertion_sort(numbers):\n"
        "    found = []\n"
        "    for number in numbers:\n"
        "        bisect.insort(found, number)\n"
        "    return found",
    ],
}

WRONG = {
    "is-sorted": [
        (
            "def is_sorted(numbers):\n    return all(a < b for a, b in zip(numbers, numbers[1:]))",
            {"is-sorted--values", "is-sorted--empty"},
            "Equal neighbours are in order: compare with <=.",
        ),
        (
            "def is_sorted(numbers):\n    return numbers[0] <= numbers[-1]",
            {"is-sorted--values", "is-sorted--empty"},
            "IndexError",
        ),
        (
            "def is_sorted(numbers):\n"
            "    before = list(numbers)\n"
            "    numbers.sort()\n"
            "    return before == numbers",
            {"is-sorted--values", "is-sorted--empty"},
            "changes its input numbers",
        ),
    ],
    "merge": [
        (
            "def merge(first, second):\n    return first + second",
            {"merge--values", "merge--empty"},
            "The two lists stand one after the other.",
        ),
        (
            "def merge(first, second):\n    return sorted({*first, *second})",
            {"merge--values", "merge--empty"},
            "A number that is in both lists comes twice.",
        ),
        (
            "def merge(first, second):\n    return tuple(sorted(first + second))",
            {"merge--values", "merge--empty"},
            "expected a list, got a tuple of 4",
        ),
    ],
    "insertion-sort": [
        (
            "def insertion_sort(numbers):\n    return sorted(numbers, reverse=True)",
            {"insertion-sort--values", "insertion-sort--inputs"},
            "The largest number comes first.",
        ),
        (
            "def insertion_sort(numbers):\n"
            "    for place in range(1, len(numbers)):\n"
            "        while place and numbers[place] < numbers[place - 1]:\n"
            "            numbers[place - 1 : place + 1] = numbers[place], numbers[place - 1]\n"
            "            place -= 1\n"
            "    return numbers",
            {"insertion-sort--inputs"},
            "changes its input numbers",
        ),
        (
            "def insertion_sort(numbers):\n    numbers = numbers.sort()\n    return numbers",
            {"insertion-sort--values", "insertion-sort--inputs"},
            "nothing comes back. Is there a `return`?",
        ),
        (
            "def insertion_sort(numbers):\n    while True:\n        pass",
            {"insertion-sort--values", "insertion-sort--inputs"},
            "is there a loop that never ends?",
        ),
    ],
}
