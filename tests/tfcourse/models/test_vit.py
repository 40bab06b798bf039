"""The vision transformer."""

import pytest
import torch
import torch.nn.functional as F
import torch_layout as layout
from hypothesis import given, settings
from hypothesis import strategies as st
from rounding import assert_same
from torch import nn

from tfcourse.models.vit import ViT, ViTConfig, patchify


def build(seed=0, dtype=torch.float64, **choices):
    sizes = {"image": 6, "patch": 3, "num_layers": 2, "num_heads": 2, "d_model": 8, "d_ff": 12}
    config = ViTConfig(5, **{"channels": 2, "eps": 1e-5} | sizes | choices)
    return layout.scramble(ViT(config).to(dtype), seed).eval()


def pictures(B, config, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    shape = (B, config.channels, config.image, config.image)
    return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)


@settings(max_examples=30, deadline=None)
@given(B=st.integers(1, 3), patch=st.integers(1, 3), across=st.integers(1, 3),
       channels=st.integers(1, 3), seed=st.integers(0, 2**32 - 1),
       dtype=st.sampled_from([torch.float32, torch.float64]), maps=st.booleans())  # fmt: skip
def test_equals_a_convolution_and_pytorchs_encoder(B, patch, across, channels, seed, dtype, maps):
    ours = build(seed, dtype, image=patch * across, patch=patch, channels=channels).train()
    images = pictures(B, ours.config, seed, dtype)
    layer = nn.TransformerEncoderLayer(
        8, 2, 12, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
    )
    theirs = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(8), enable_nested_tensor=False).to(
        dtype
    )
    theirs.load_state_dict(layout.stack(ours.blocks, ours.norm, "", layout.weight))
    kernel = ours.W_P.detach().T.reshape(8, channels, patch, patch).requires_grad_()
    seen = F.conv2d(images, kernel, ours.b_P.detach(), stride=patch).flatten(2).mT
    x = torch.cat([ours.c.detach().expand(B, 1, 8), seen], dim=1) + ours.positions.P.detach()
    expected = theirs(x)[:, 0] @ ours.W.detach() + ours.b.detach()
    got = ours(images, return_weights=maps)
    assert_same(got.logits, expected, ours, "logits")
    if maps:
        N = across**2 + 1
        assert [tuple(m.shape) for m in got.maps["self"]] == [(B, 2, N, N)] * 2
    if dtype == torch.float64:
        cotangent = torch.randn_like(expected)
        expected.backward(cotangent)
        got.logits.backward(cotangent)
        layout.assert_gradients_same(
            layout.stack(ours.blocks, ours.norm, "", layout.gradient), theirs
        )
        mapped = kernel.grad.flatten(1).T
        torch.testing.assert_close(ours.W_P.grad, mapped, rtol=1e-9, atol=1e-9)


def test_patches_go_row_by_row():
    image = torch.arange(16.0).reshape(1, 1, 4, 4)
    assert patchify(image, 2)[0].tolist() == [
        [0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]
    ]  # fmt: skip


def test_places_tell_patches_apart():
    model = build()
    images = pictures(2, model.config)
    swapped = torch.cat([images[..., 3:], images[..., :3]], dim=-1)
    assert (model(images).logits - model(swapped).logits).abs().max() > 1e-3
    with torch.no_grad():
        model.positions.P.zero_()
    torch.testing.assert_close(model(images).logits, model(swapped).logits)


def test_what_does_not_fit_is_refused(unchecked):
    with pytest.raises(ValueError, match="image must be divisible by patch=4, got 6"):
        build(patch=4)
    with pytest.raises(ValueError, match="d_model must be divisible by num_heads=3, got 8"):
        build(num_heads=3)
    with pytest.raises(ValueError, match=r"images must be \(B, 2, 6, 6\), got \(1, 3, 6, 6\)"):
        build()(torch.zeros(1, 3, 6, 6, dtype=torch.float64))
