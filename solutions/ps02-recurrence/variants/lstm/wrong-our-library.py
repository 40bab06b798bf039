# wrong: the course's own cell
# loses: lstm--by-hand lstm--values lstm--state lstm--carried lstm--gradients lstm--inputs
# told: writes by hand
def lstm_step(x_t, h, c, W, U, b):
    from tfcourse.recurrent import LSTMCell

    cell = LSTMCell(x_t.shape[1], h.shape[1])
    cell.load_state_dict({"W": W, "U": U, "b": b})
    return cell(x_t, (h, c))
