"""How many graphs a compiled GPT has after its first text, and after a second one: by cache.

A process of its own: the tests' checks of shapes are not what a model is compiled with.
"""

import json

import torch

from tfcourse.generation import greedy, static_cache
from tfcourse.models.gpt import GPT, GPTConfig


def graphs_of(cached, dynamic=False):
    torch.compiler.reset()
    graphs = []

    def counted(graph, inputs):
        graphs.append(graph)
        return graph.forward

    torch.manual_seed(0)
    model = GPT(GPTConfig(9, 32, num_layers=2, num_heads=2, d_model=8)).eval()
    model.compile(backend=counted, dynamic=dynamic)
    found = []
    for first in (1, 5):
        prompt = torch.tensor([[first, 2, 3], [4, 5, 6]])
        greedy(model, prompt, max_new_tokens=6, cached=cached)
        found.append(len(graphs))
    return found


if __name__ == "__main__":
    found = {"static": graphs_of("static"), "growing": graphs_of(True)}
    static_cache.BLOCKS["cpu"] = 6
    found["two blocks"] = graphs_of("static")
    static_cache.BLOCKS["cpu"] = 2  # four blocks; PyTorch's default makes sizes that change dynamic
    found["blocks of any size"] = graphs_of("static", dynamic=None)
    print(json.dumps(found))
