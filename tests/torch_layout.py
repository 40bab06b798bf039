"""Our blocks' numbers, weights or gradients, under the names that PyTorch's layers give them."""

import torch


def weight(p):
    """The parameter itself."""
    return p.detach()


def gradient(p):
    """Its gradient."""
    return p.grad


def attention(layer, name, pick):
    """As ``nn.MultiheadAttention`` stores it: q, k and v stacked, each ``(out, in)``.

    Where a context has another width it keeps them apart.
    """
    dot = f"{name}." if name else ""
    found = {f"{dot}out_proj.weight": pick(layer.W_O).T}
    if layer.W_KV is None:
        found[f"{dot}in_proj_weight"] = pick(layer.W_QKV).T
    else:
        W_K, W_V = pick(layer.W_KV).T.split(layer.widths[1:])
        found |= {
            f"{dot}q_proj_weight": pick(layer.W_QKV).T,
            f"{dot}k_proj_weight": W_K,
            f"{dot}v_proj_weight": W_V,
        }
    if layer.b_QKV is not None:
        found[f"{dot}in_proj_bias"] = pick(layer.b_QKV)
        found[f"{dot}out_proj.bias"] = pick(layer.b_O)
    return found


def norm(layer, name, pick):
    return {f"{name}.weight": pick(layer.gain), f"{name}.bias": pick(layer.shift)}


def block(ours, name, pick):
    """As ``nn.TransformerEncoderLayer`` or, with cross-attention, ``DecoderLayer`` stores it."""
    found = attention(ours.attention, f"{name}.self_attn", pick)
    norms = [ours.attention_norm, ours.ffn_norm]
    if ours.cross is not None:
        found |= attention(ours.cross, f"{name}.multihead_attn", pick)
        norms.insert(1, ours.cross_norm)
    for i, part in enumerate(norms, start=1):
        found |= norm(part, f"{name}.norm{i}", pick)
    for i in (1, 2):
        found[f"{name}.linear{i}.weight"] = pick(getattr(ours.ffn, f"W_{i}")).T
        found[f"{name}.linear{i}.bias"] = pick(getattr(ours.ffn, f"b_{i}"))
    return found


def stack(blocks, final_norm, name, pick):
    """As ``nn.TransformerEncoder`` or ``Decoder`` stores it."""
    found = {}
    for i, part in enumerate(blocks):
        found |= block(part, f"{name}layers.{i}", pick)
    if isinstance(final_norm, torch.nn.Module) and list(final_norm.parameters()):
        found |= norm(final_norm, f"{name}norm", pick)
    return found


def scramble(model, seed):
    """Draw every number anew, so that no two parts can be mixed up unseen."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            noise = torch.randn(p.shape, generator=generator, dtype=torch.float64).to(p) * 0.3
            p.copy_(noise + 1 if name.endswith("gain") else noise)
    return model


def assert_gradients_same(ours, theirs, atol=1e-9):
    """Every gradient of theirs is ours, relative to its largest entry."""
    expected = {name: p.grad for name, p in theirs.named_parameters()}
    assert expected.keys() == ours.keys()
    for name, g in expected.items():
        scale = max(1.0, g.abs().max().item())
        torch.testing.assert_close(
            ours[name] / scale, g / scale, rtol=0, atol=atol, msg=lambda m, n=name: f"{n}: {m}"
        )
