"""Whole models, each a dataclass of sizes and one module in one file.

They are made of :mod:`tfcourse.attention`, :mod:`tfcourse.positions` and :mod:`tfcourse.layers`,
and know nothing of training. Every ``forward`` gives an :class:`~tfcourse.models.output.Output`.
"""
