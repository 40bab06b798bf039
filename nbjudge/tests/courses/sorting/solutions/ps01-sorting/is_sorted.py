@right("pairs", "pair by pair")
def is_sorted(numbers):
    return all(a <= b for a, b in zip(numbers, numbers[1:]))


@right("loop", "a loop")
def is_sorted(numbers):
    for place in range(1, len(numbers)):
        if numbers[place] < numbers[place - 1]:
            return False
    return True


@wrong("strictly", says="Equal neighbours are in order: compare with <=.")
def is_sorted(numbers):
    return all(a < b for a, b in zip(numbers, numbers[1:]))


@wrong("ends-only", "compares first and last", match="IndexError")
def is_sorted(numbers):
    return numbers[0] <= numbers[-1]


@wrong("sorts-it", "sorts its input", match="changes its input numbers")
def is_sorted(numbers):
    before = list(numbers)
    numbers.sort()
    return before == numbers
