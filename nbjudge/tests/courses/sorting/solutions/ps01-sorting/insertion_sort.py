@right("places", "a place for each")
def insertion_sort(numbers):
    found = []
    for number in numbers:
        place = 0
        while place < len(found) and found[place] <= number:
            place += 1
        found.insert(place, number)
    return found


right("bisect", "by bisection")
import bisect


def insertion_sort(numbers):
    found = []
    for number in numbers:
        bisect.insort(found, number)
    return found


@wrong("descending", says="The largest number comes first.")
def insertion_sort(numbers):
    return sorted(numbers, reverse=True)


@wrong("in-place", "sorts in place", match="changes its input numbers", loses=["inputs"])
def insertion_sort(numbers):
    for place in range(1, len(numbers)):
        while place and numbers[place] < numbers[place - 1]:
            numbers[place - 1 : place + 1] = numbers[place], numbers[place - 1]
            place -= 1
    return numbers


@wrong(
    "returns-none",
    "returns what sort returns",
    match="nothing comes back\\. Is there a `return`\\?",
)
def insertion_sort(numbers):
    numbers = numbers.sort()
    return numbers


@wrong("endless", "never ends", match="is there a loop that never ends\\?")
def insertion_sort(numbers):
    while True:
        pass
