"""Flash attention twice: tiled in PyTorch, to be read, and as a Triton kernel for CUDA."""
