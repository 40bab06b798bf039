# wrong: derives from the course's own module
# loses: self-attention--parameters self-attention--by-hand self-attention--values self-attention--mask self-attention--order self-attention--gradients
# told: does the whole of this piece
from tfcourse import attention as ready_made


class SelfAttention(ready_made.SelfAttention):
    pass
