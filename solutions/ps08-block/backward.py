@right("jacobian", "the matrix of derivatives of each token")
def layer_norm_backward(x, gain, bias, eps, G):
    D = x.shape[-1]
    rows, G_rows = x.reshape(-1, D), G.reshape(-1, D)
    dx, dgain, dbias = [], torch.zeros_like(gain), torch.zeros_like(gain)
    eye = torch.eye(D, dtype=x.dtype)
    for row, G_row in zip(rows, G_rows):
        s = (row.var(correction=0) + eps).sqrt()
        normal = (row - row.mean()) / s
        J = (eye - 1 / D - torch.outer(normal, normal) / D) / s
        dx.append(J @ (G_row * gain))
        dgain = dgain + G_row * normal
        dbias = dbias + G_row
    return torch.stack(dx).reshape(x.shape), dgain, dbias


@right("step-by-step", "each step differentiated by itself")
def layer_norm_backward(x, gain, bias, eps, G):
    D = x.shape[-1]
    centred = x - x.mean(-1, keepdim=True)
    s = (centred.pow(2).mean(-1, keepdim=True) + eps) ** 0.5
    leading = tuple(range(x.dim() - 1))
    dgain, dbias = G * centred / s, G.clone()
    if leading:
        dgain, dbias = dgain.sum(leading), dbias.sum(leading)
    d_normal = G * gain
    d_centred = d_normal / s
    d_s = -(d_normal * centred).sum(-1, keepdim=True) / s**2
    d_variance = d_s / (2 * s)
    d_centred = d_centred + d_variance * 2 * centred / D
    d_mean = -d_centred.sum(-1, keepdim=True)
    return d_centred + d_mean / D, dgain, dbias


@right("plain", "the steps that the wrong answers below change", edited=True)
def layer_norm_backward(x, gain, bias, eps, G):
    D = x.shape[-1]
    centred = x - x.mean(dim=-1, keepdim=True)
    s = (centred.square().mean(dim=-1, keepdim=True) + eps).sqrt()
    normal = centred / s
    g = G * gain
    dx = (g - g.mean(dim=-1, keepdim=True) - normal * (g * normal).mean(dim=-1, keepdim=True)) / s
    return dx, (G * normal).reshape(-1, D).sum(0), G.reshape(-1, D).sum(0)


wrong(
    "added-up-each-token",
    says=(
        "You sum the gradients of gain and bias over the numbers of a token. Sum over the tokens."
    ),
    loses=["by-hand", "gain-and-bias", "measured"],
    edit=(
        "(G * normal).reshape(-1, D).sum(0), G.reshape(-1, D).sum(0)",
        "(G * normal).sum(-1), G.sum(-1)",
    ),
)


@wrong("autograd", "lets autograd find it", match="lets PyTorch find the gradient")
def layer_norm_backward(x, gain, bias, eps, G):
    x, gain, bias = (t.detach().requires_grad_() for t in (x, gain, bias))
    centred = x - x.mean(dim=-1, keepdim=True)
    y = centred / (centred.square().mean(dim=-1, keepdim=True) + eps).sqrt() * gain + bias
    y.backward(G)
    return x.grad, gain.grad, bias.grad


wrong(
    "both-constant",
    "treats mean and deviation as constants",
    says=(
        "You treat μ and s as constants. Each x_j changes both, and so every output of its "
        "token: what are ∂μ/∂x_j and ∂s/∂x_j?"
    ),
    spares=["gain-and-bias", "inputs"],
    edit=(
        "(g - g.mean(dim=-1, keepdim=True) - normal * (g * normal).mean(dim=-1, keepdim=True))",
        "g",
    ),
)


wrong(
    "centred-for-normal",
    says="In the term for s, you use x - μ instead of x̂.",
    spares=["gain-and-bias", "inputs"],
    edit=("normal * (g * normal)", "centred * (g * centred)"),
)

wrong(
    "deviation-constant",
    "treats the deviation as a constant",
    says=(
        "You treat s as a constant, or your term for it is 0. Each x_j changes s, and so every "
        "output of its token: what is ∂s/∂x_j?"
    ),
    spares=["gain-and-bias", "inputs"],
    edit=(
        "g.mean(dim=-1, keepdim=True) - normal * (g * normal).mean(dim=-1, keepdim=True)",
        "g.mean(dim=-1, keepdim=True)",
    ),
)

wrong(
    "deviation-doubled",
    says=(
        "Your term for s is twice as large as it should be: the 2 of the square and the 1/2 of "
        "the root cancel."
    ),
    spares=["gain-and-bias", "inputs"],
    edit=("- normal *", "- 2 * normal *"),
)

wrong(
    "deviation-halved",
    says=(
        "Your term for s is half as large as it should be: the 2 of the square and the 1/2 of "
        "the root cancel."
    ),
    spares=["gain-and-bias", "inputs"],
    edit=("- normal *", "- normal / 2 *"),
)

wrong(
    "deviation-sign",
    says="The term for s has the wrong sign.",
    spares=["gain-and-bias", "inputs"],
    edit=("- normal *", "+ normal *"),
)

wrong(
    "deviation-summed",
    says="You sum over the D numbers where a mean is needed: mean and variance both divide by D.",
    spares=["gain-and-bias", "inputs"],
    edit=("(g * normal).mean", "(g * normal).sum"),
)

wrong(
    "divided-by-variance",
    says="You divide by σ² + ε. Divide by its square root.",
    loses=["by-hand", "x", "measured"],
    edit=("keepdim=True)) / s", "keepdim=True)) / s**2"),
)

wrong(
    "first-axis-added",
    "sums over the first axis alone",
    says=(
        "You sum the gradients of gain and bias over the first axis only. Sum over all "
        "axes but the last."
    ),
    loses=["gain-and-bias"],
    edit=(
        "dx, (G * normal).reshape(-1, D).sum(0), G.reshape(-1, D).sum",
        "dx, (G * normal).sum(0), G.sum",
    ),
)

wrong(
    "gain-forgotten",
    "forgets the gain in the gradient of x",
    says="The gain is missing from the gradient of x: the gradient at x̂ is G ⊙ γ.",
    loses=["by-hand", "x", "measured"],
    edit=("G * gain", "G"),
)


@wrong(
    "gain-last",
    "the gain after the means",
    says="Your code applies the gain after the means. Multiply G by it first: g = G ⊙ γ.",
    spares=["gain-and-bias", "inputs"],
)
def layer_norm_backward(x, gain, bias, eps, G):
    D = x.shape[-1]
    centred = x - x.mean(dim=-1, keepdim=True)
    s = (centred.square().mean(dim=-1, keepdim=True) + eps).sqrt()
    normal = centred / s
    g = G
    dx = (
        (g - g.mean(dim=-1, keepdim=True) - normal * (g * normal).mean(dim=-1, keepdim=True))
        / s
        * gain
    )
    return dx, (G * normal).reshape(-1, D).sum(0), G.reshape(-1, D).sum(0)


wrong(
    "gain-not-in-deviation",
    says="The gain is missing from the term for s. Use g = G ⊙ γ.",
    spares=["gain-and-bias", "inputs"],
    edit=("(g * normal)", "(G * normal)"),
)

wrong(
    "gain-not-in-mean",
    says="The gain is missing from the term for μ. Use g = G ⊙ γ.",
    spares=["gain-and-bias", "inputs"],
    edit=("(g - g.mean", "(g - G.mean"),
)

wrong(
    "gain-of-centred",
    says="You compute the gradient of the gain from x - μ. The gain multiplies x̂.",
    loses=["by-hand", "gain-and-bias", "measured"],
    edit=("G * normal", "G * centred"),
)

wrong(
    "gain-of-x",
    "the gradient of the gain is made of x",
    says="You compute the gradient of the gain from x. The gain multiplies x̂.",
    loses=["by-hand", "gain-and-bias", "measured"],
    edit=("G * normal", "G * x"),
)

wrong(
    "in-place",
    "multiplies G by the gain in place",
    says=(
        "For γ and β you use G after multiplying it by the gain. Use the G that was given. Do "
        "you multiply it in place?"
    ),
    match="changes its input G",
    spares=["x", "directions"],
    edit=("G * gain", "G.mul_(gain)"),
)

wrong(
    "mean-constant",
    "treats the mean as a constant",
    says=(
        "You treat μ as a constant. Each x_j changes μ, and so every output of its token: what "
        "is ∂μ/∂x_j?"
    ),
    spares=["gain-and-bias", "inputs"],
    edit=("g.mean(dim=-1, keepdim=True) - normal", "normal"),
)

wrong(
    "mean-sign",
    says="The term for μ has the wrong sign.",
    spares=["gain-and-bias", "inputs"],
    edit=("(g - g.mean", "(g + g.mean"),
)

wrong(
    "means-of-tokens",
    "means over the tokens instead of sums",
    says="Your gradients of gain and bias are means over the tokens. Take sums.",
    loses=["gain-and-bias", "measured"],
    edit=(
        "dx, (G * normal).reshape(-1, D).sum(0), G.reshape(-1, D).sum",
        "dx, (G * normal).reshape(-1, D).mean(0), G.reshape(-1, D).mean",
    ),
)


@wrong("native", "PyTorch's own backward pass", match="by hand")
def layer_norm_backward(x, gain, bias, eps, G):
    mean = x.mean(dim=-1, keepdim=True)
    rstd = (x.var(dim=-1, correction=0, keepdim=True) + eps).rsqrt()
    return torch.ops.aten.native_layer_norm_backward(
        G, x, [x.shape[-1]], mean, rstd, gain, bias, [True, True, True]
    )


wrong(
    "no-eps",
    "forgets eps, so 0/0 for a flat token",
    says="ε is missing: the root is √(σ² + ε) in the gradient, too.",
    spares=["directions", "inputs"],
    edit=(
        "centred.square().mean(dim=-1, keepdim=True) + eps",
        "centred.square().mean(dim=-1, keepdim=True)",
    ),
)

wrong(
    "not-added-up",
    "a row of the gain's gradient for each token",
    says=(
        "Your gradients of gain and bias have a row for each token. All tokens share one "
        "gain and one bias: sum over all axes but the last."
    ),
    loses=["by-hand", "gain-and-bias", "measured"],
    edit=("dx, (G * normal).reshape(-1, D).sum(0), G.reshape(-1, D).sum(0)", "dx, G * normal, G"),
)


wrong(
    "not-divided",
    "forgets to divide by s",
    says="The division by √(σ² + ε) is missing from the gradient of x.",
    loses=["by-hand", "x", "measured"],
    edit=(
        "(g - g.mean(dim=-1, keepdim=True) - normal * (g * normal).mean(dim=-1, keepdim=True)) / s",
        "g - g.mean(dim=-1, keepdim=True) - normal * (g * normal).mean(dim=-1, keepdim=True)",
    ),
)


wrong(
    "one-normal-missing",
    says="In the term for s, one of the two factors x̂ is missing.",
    spares=["gain-and-bias", "inputs"],
    edit=("normal * (g * normal)", "(g * normal)"),
)

wrong(
    "overwritten",
    says=(
        "For γ and β you use G after multiplying it by the gain. Use the G that was given. Do "
        "you multiply it in place?"
    ),
    loses=["by-hand", "gain-and-bias", "measured"],
    edit=("g = G * gain", "g = G = G * gain"),
)

wrong(
    "sums",
    "sums instead of means",
    says=("You sum over the D numbers where a mean is needed: mean and variance both divide by D."),
    spares=["gain-and-bias", "inputs"],
    edit=(
        "g.mean(dim=-1, keepdim=True) - normal * (g * normal).mean",
        "g.sum(dim=-1, keepdim=True) - normal * (g * normal).sum",
    ),
)

wrong(
    "swapped",
    says="The gradients of gain and bias are swapped.",
    loses=["by-hand", "gain-and-bias", "measured"],
    edit=(
        "(G * normal).reshape(-1, D).sum(0), G.reshape(-1, D).sum(0)",
        "G.reshape(-1, D).sum(0), (G * normal).reshape(-1, D).sum(0)",
    ),
)

wrong(
    "unbiased",
    "divides the variance by D - 1",
    says=(
        "Your code divides the sum of the squares by D - 1. Divide by D. PyTorch's .var() and "
        ".std() divide by D - 1 by default."
    ),
    edit=("centred.square().mean", "x.var"),
)

wrong(
    "unbiased-throughout",
    says=(
        "Your code divides the sum of the squares by D - 1. Divide by D. PyTorch's .var() and "
        ".std() divide by D - 1 by default."
    ),
    spares=["directions", "inputs"],
    edit=[
        ("centred.square().mean", "x.var"),
        (
            "(g * normal).mean(dim=-1, keepdim=True)",
            "(g * normal).sum(dim=-1, keepdim=True) / (D - 1)",
        ),
    ],
)

wrong(
    "x-over-tokens",
    says=(
        "In the gradient of x, your means run over the tokens. They must run over a "
        "token's own D numbers."
    ),
    edit=(
        "g.mean(dim=-1, keepdim=True) - normal * (g * normal).mean(dim=-1, keepdim=True)",
        "g.mean(dim=-2, keepdim=True) - normal * (g * normal).mean(dim=-2, keepdim=True)",
    ),
)

broken("g = G * gain", "g = G / gain")
broken("through_s = normal * (g * normal)", "through_s = normal * (G * normal)")
broken("(g - through_mean - through_s) / s", "(g - through_mean - through_s / s) / s")
broken("(G * normal).reshape(-1, D)", "(G * normal).abs().reshape(-1, D)")
broken("dbias = G.reshape(-1, D).sum(dim=0)", "dbias = G.reshape(D, -1).sum(dim=1)")
broken("through_mean = g.mean(dim=-1, keepdim=True)", "through_mean = g.mean()")
