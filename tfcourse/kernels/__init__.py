"""Flash attention twice: in tiled PyTorch for reading, and as a Triton kernel for CUDA."""
