"""Sends its outputs as messages of fifteen megabytes each, forty of them, while a test runs too.

kind: exhaustion
honest: 0
exercise: double
"""

kernel = get_ipython().kernel
content = {"data": {"text/plain": "x" * (15 << 20)}, "metadata": {}}


def send(count):
    for _ in range(count):
        kernel.session.send(
            kernel.iopub_socket, "display_data", content, parent=kernel.get_parent("shell")
        )


def double(x):
    send(20)


send(20)
