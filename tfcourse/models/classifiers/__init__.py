"""Document classifiers: pooled words; words, then sentences; a Transformer with [CLS]."""

from tfcourse.models.classifiers.cls import TransformerClassifier, TransformerClassifierConfig
from tfcourse.models.classifiers.hierarchical import HierarchicalClassifier, HierarchicalConfig
from tfcourse.models.classifiers.pooling import PoolingClassifier, PoolingConfig

__all__ = [
    "HierarchicalClassifier",
    "HierarchicalConfig",
    "PoolingClassifier",
    "PoolingConfig",
    "TransformerClassifier",
    "TransformerClassifierConfig",
]
