"""The companion package of the course *Attention to Transformers*.

Blocks know nothing of models, models nothing of training, and nothing knows of grading.
"""

__version__ = "0.1.0"
