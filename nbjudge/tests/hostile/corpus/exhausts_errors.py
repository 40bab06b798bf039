"""Forges ten thousand small errors and empty outputs in the kernel's name.

kind: exhaustion
honest: 0
exercise: double
"""

kernel = get_ipython().kernel
parent = kernel.get_parent("shell")
error = {"ename": "E", "evalue": "", "traceback": []}
for _ in range(10_000):
    kernel.session.send(kernel.iopub_socket, "error", error, parent=parent)
    kernel.session.send(kernel.iopub_socket, "display_data", {"data": {}}, parent=parent)
