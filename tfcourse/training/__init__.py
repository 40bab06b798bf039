"""Training: :func:`fit`, and its parts.

:func:`fit` takes a model, batches and a loss. Schedules set the learning rate of each step,
optimisers decide which parameters decay. Checkpoints are written completely or not at all, and a
run resumes from them, on the CPU to the last bit. Under torchrun the same call trains in several
processes.
"""

from tfcourse.training.bars import progress_bar
from tfcourse.training.checkpoints import average_checkpoints, load_best
from tfcourse.training.failures import Interrupted, NotFinite
from tfcourse.training.history import History
from tfcourse.training.loop import fit
from tfcourse.training.losses import (
    Classification,
    NextToken,
    Translation,
    label_smoothed_loss,
    mean_loss,
)
from tfcourse.training.optimisers import (
    OptimiserChoice,
    adamw,
    clip_gradients,
    parameter_groups,
    sgd,
)
from tfcourse.training.saved import open_saved, save
from tfcourse.training.schedules import (
    Schedule,
    constant,
    constant_rate,
    cosine,
    cosine_rate,
    inverse_root,
    inverse_root_rate,
    linear,
    linear_rate,
    noam,
    noam_rate,
)

__all__ = [
    "Classification", "History", "Interrupted", "NextToken", "NotFinite", "OptimiserChoice",
    "Schedule", "Translation", "adamw", "average_checkpoints", "clip_gradients", "constant",
    "constant_rate", "cosine", "cosine_rate", "fit", "inverse_root", "inverse_root_rate",
    "label_smoothed_loss", "linear", "linear_rate", "load_best", "mean_loss", "noam", "noam_rate",
    "open_saved", "parameter_groups", "progress_bar", "save", "sgd",
]  # fmt: skip
