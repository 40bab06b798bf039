"""A list of tensors that is 390,000 brackets deep: who reads it by recursion runs out of stack.

kind: notebook file
honest: 0
seen: weights.safetensors is cut off or damaged .*recursion limit
"""

import target_set


def hand_in(notebook, folder):
    target_set.cell(notebook, "weigh").source = target_set.RIGHT["weigh"]
    text = b'{"weight":' + b"[" * 390_000
    (folder / target_set.FILE).write_bytes(len(text).to_bytes(8, "little") + text)
    return notebook
