"""Training: :func:`fit`, and what it is given.

:func:`fit` takes a model, batches and a loss. Schedules say the learning rate of each step,
optimisers which parameters decay. Checkpoints are written whole or not at all, and a run goes on
from them, on the CPU to the last bit. Under torchrun the same call trains in several processes.
"""

from tfcourse.training.checkpoints import average_checkpoints, load_best
from tfcourse.training.failures import NotFinite
from tfcourse.training.history import History
from tfcourse.training.interrupts import Interrupted
from tfcourse.training.loop import fit
from tfcourse.training.losses import (
    Classification,
    NextToken,
    Translation,
    label_smoothed_loss,
    mean_loss,
)
from tfcourse.training.optimisers import OptimiserChoice, adamw, parameter_groups, sgd
from tfcourse.training.saved import open_saved, save
from tfcourse.training.schedules import Schedule, constant, cosine, inverse_root, noam

__all__ = [
    "Classification",
    "History",
    "Interrupted",
    "NextToken",
    "NotFinite",
    "OptimiserChoice",
    "Schedule",
    "Translation",
    "adamw",
    "average_checkpoints",
    "constant",
    "cosine",
    "fit",
    "inverse_root",
    "label_smoothed_loss",
    "load_best",
    "mean_loss",
    "noam",
    "open_saved",
    "parameter_groups",
    "save",
    "sgd",
]
