"""Each message about a mistake is told of that mistake, and never of the right answer."""

import pytest
import torch
import torch.nn.functional as F
from telling import told_of_other_mistakes

import tfcourse.positions
from coursework.mistakes import patches, vision
from nbjudge.testing import Mistake, by_hand, call, close
from tfcourse.models.vit import ViT, ViTConfig, patchify

DOUBLE = {"dtype": torch.float64}


# -- patches ---------------------------------------------------------------------------------------


def test_what_is_right_of_patches_is_what_the_package_cuts_in_another_order(generator):
    images = torch.randn(2, 3, 12, 8, generator=generator)
    ours = patchify(images, 4).unflatten(-1, (3, 4, 4)).permute(0, 1, 3, 4, 2).flatten(2)
    assert torch.equal(patches.patches_of(images, 4, 4), ours)
    windows = F.unfold(images, (2, 4), stride=(2, 4)).mT.unflatten(-1, (3, 8))
    assert torch.equal(patches.patches_of(images, 2, 4), windows.mT.flatten(2))


def test_no_mistake_of_patches_is_right(generator):
    images = torch.randn(2, 3, 12, 8, generator=generator)
    found = patches.patch_mistakes(images, 2, 4)
    assert told_of_other_mistakes(found, patches.patches_of(images, 2, 4)) == {}
    assert len(found) == 10


def test_no_mistake_of_the_way_back_is_right(generator):
    images = torch.randn(2, 3, 12, 8, generator=generator)
    given = patches.patches_of(images, 2, 4), 2, 4, 3, 12, 8
    found = patches.image_mistakes(*given)
    assert told_of_other_mistakes(found, images) == {}
    assert len(found) == 7


def test_no_mistake_of_the_matrix_is_right(generator):
    kernels = torch.randn(5, 3, 2, 4, generator=generator, **DOUBLE)
    images = torch.randn(2, 3, 6, 8, generator=generator, **DOUBLE)
    right = kernels.permute(2, 3, 1, 0).flatten(0, 2)
    convolved = F.conv2d(images, kernels, stride=(2, 4)).flatten(2).mT
    assert torch.allclose(patches.patches_of(images, 2, 4) @ right, convolved)
    found = patches.matrix_mistakes(kernels)
    assert told_of_other_mistakes(found, right) == {}
    assert len(found) == 6


# -- places, and [CLS] -----------------------------------------------------------------------------


def test_no_mistake_of_codes_is_right():
    table = tfcourse.positions.SinusoidalPositions(8).table
    right = [
        torch.cat([table(torch.tensor([n]))[0] for n in (r, c)])
        for r in (0, 1, 2)
        for c in range(4)
    ]
    right = torch.stack(right)
    assert torch.allclose(vision.codes_of(3, 4, 16), right)
    found = vision.code_mistakes(3, 4, 16)
    assert told_of_other_mistakes(found, right) == {}
    assert len(found) == 12


def test_no_mistake_of_the_encoders_input_is_right(generator):
    shapes = (3, 4, 6), (6, 5), (5,), (5,), (5, 5)
    given = [torch.randn(s, generator=generator, **DOUBLE) for s in shapes]
    found = vision.token_mistakes(*given)
    assert told_of_other_mistakes(found, vision.tokens_of(*given)) == {}
    assert len(found) == 11 + 1


@pytest.mark.parametrize("pool", ["cls", "mean"])
def test_no_mistake_of_logits_is_right(generator, pool):
    shapes = (3, 5, 8), (8,), (8,), (8, 4), (4,)
    given = [torch.randn(s, generator=generator, **DOUBLE) for s in shapes]
    found = vision.logit_mistakes(*given, pool)
    assert told_of_other_mistakes(found, vision.logits_of(*given, pool)) == {}
    assert len(found) == 11


def test_the_norms_own_epsilon_is_told_from_a_row_of_small_variance():
    h = torch.tensor([[[2.0, 0.0], [0.002, 0.0]]])
    given = h, torch.ones(2), torch.zeros(2), torch.eye(2), torch.zeros(2), "mean"
    found = vision.logit_mistakes(*given)
    norm = F.layer_norm(h, (2,))
    assert torch.allclose(vision.logits_of(*given), torch.tensor([[0.5**0.5, -(0.5**0.5)]]))
    with pytest.raises(Mistake, match="Your ε is 10⁻⁵"):
        close(norm[:, 1:].mean(1), vision.logits_of(*given), mistakes=found)


def test_a_model_without_blocks_is_input_and_logits(generator):
    model = ViT(
        ViTConfig(4, image=8, patch=4, channels=2, num_layers=1, num_heads=1, d_model=6, eps=1e-6)
    )
    model.blocks = torch.nn.ModuleList()
    images = torch.randn(3, 2, 8, 8, generator=generator)
    w = {n: p.detach() for n, p in model.named_parameters()}
    x = vision.tokens_of(patchify(images, 4), w["W_P"], w["b_P"], w["c"], w["positions.P"])
    ours = vision.logits_of(x, w["norm.gain"], w["norm.shift"], w["W"], w["b"])
    assert torch.allclose(model(images).logits, ours, atol=1e-6)


# -- looking back, and other sizes -----------------------------------------------------------------


def test_no_mistake_of_rollout_is_right(generator):
    maps = list(torch.randn(3, 2, 4, 7, 7, generator=generator, **DOUBLE).softmax(-1))
    found = vision.rollout_mistakes(maps, 2, 3)
    assert told_of_other_mistakes(found, vision.rollout_of(maps, 2, 3)) == {}
    assert len(found) == 15


@pytest.mark.parametrize(
    ("old", "new", "count"), [((3, 4), (5, 2), 7), ((2, 5), (2, 5), 6), ((3, 3), (4, 4), 4)]
)
def test_no_mistake_of_resizing_is_right(generator, old, new, count):
    P = torch.randn(1 + old[0] * old[1], 5, generator=generator, **DOUBLE)
    found = vision.resize_mistakes(P, old, new)
    assert told_of_other_mistakes(found, vision.resized_of(P, old, new)) == {}
    assert len(found) == count


def test_slips_that_cannot_be_told_apart_are_told_together():
    grey = torch.arange(24.0).reshape(1, 1, 4, 6)  # where channels last is no other order
    (both,) = (m for m in patches.patch_mistakes(grey, 2, 3) if m.startswith("Each of these"))
    assert "A reshape alone does not cut patches" in both and "The channels come last now" in both


# -- what must be written by hand ------------------------------------------------------------------


@pytest.mark.parametrize(
    "use",
    [
        lambda: F.unfold(torch.ones(1, 2, 4, 4), 2, stride=2),
        lambda: torch.nn.Unfold(2, stride=2)(torch.ones(1, 2, 4, 4)),
        lambda: F.pixel_unshuffle(torch.ones(1, 2, 4, 4), 2),
        lambda: F.conv2d(torch.ones(1, 2, 4, 4), torch.ones(8, 2, 2, 2), stride=2),
        lambda: patchify(torch.ones(1, 2, 4, 4), 2),
        lambda: tfcourse.positions.SinusoidalPositions(4),
        lambda: patches.patches_of(torch.ones(1, 2, 4, 4), 2, 2),
    ],
)
def test_what_does_it_all_is_refused(use):
    try:
        call(lambda: (use(), 1)[1])
        by_hand("vision")
        with pytest.raises(Mistake, match="Take the call out"):
            call(lambda: (use(), 1)[1])
        x = torch.ones(1, 2, 4, 4)
        call(lambda: F.layer_norm(x.unfold(2, 2, 2).transpose(3, 4).mT, (2,)))
        call(lambda: F.interpolate(x, (2, 3), mode="bilinear", align_corners=True))
    finally:
        by_hand()
