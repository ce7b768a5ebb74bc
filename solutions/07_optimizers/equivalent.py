"""Changes in the answers of module 07 that no valid input can tell from them."""

EQUIVALENT = {
    "weight-decay": """
        None is as false as what is looked up.
        - decay = 0 if group.get('decoupled_weight_decay') else group.get('weight_decay', 0)
        + decay = 0 if group.get('decoupled_weight_decay') else group.get('weight_decay')
        - maximize = group.get('maximize', False)
        + maximize = group.get('maximize')

        Weights are finite, so that 0 times one of them adds nothing, and the result may be in `out` as well.
        - if decay:
        + if True:

        The product and the sum of two arrays are the same in either order.
        - np.multiply(array, decay, out=out)
        + np.multiply(decay, array, out=out)
        - return np.subtract(out, grad, out=out) if maximize else np.add(out, grad, out=out)
        + return np.subtract(out, grad, out=out) if maximize else np.add(grad, out, out=out)
    """,
    "momentum": """
        The product of two numbers is the same in either order.
        - np.multiply(grad, 1 - dampening, out=work)
        + np.multiply(1 - dampening, grad, out=work)
    """,
    "sgd": """
        What is computed ahead is not used without nesterov.
        - if group['nesterov']:
        + if True:

        The product of two numbers is the same in either order.
        - np.multiply(velocity, momentum, out=work)
        + np.multiply(momentum, velocity, out=work)
        - np.multiply(grad, float(group['lr']), out=work)
        + np.multiply(float(group['lr']), grad, out=work)
    """,
    "rmsprop": """
        The numbers are the same, in more memory.
        - average(square, np.multiply(grad, grad, out=work), group['alpha'], work)
        + average(square, np.multiply(grad, grad), group['alpha'], work)
        - array -= np.multiply(step, lr, out=work)
        + array -= np.multiply(step, lr)

        The product of two numbers is the same in either order.
        - array -= np.multiply(step, lr, out=work)
        + array -= np.multiply(lr, step, out=work)
    """,
    "adam": """
        The numbers are the same, in more memory.
        - average(square, np.multiply(grad, grad, out=work), beta2, work)
        + average(square, np.multiply(grad, grad), beta2, work)

        The larger of two numbers is the same in either order, and so is a NaN among them.
        - square = np.maximum(largest, square, out=largest)
        + square = np.maximum(square, largest, out=largest)
    """,
    "mend-fit": """
        A difference and its negative have the same square.
        - return ((outputs - targets) ** 2).mean()
        + return ((targets - outputs) ** 2).mean()
        - loss = squared_error(outputs, y.reshape(outputs.shape))
        + loss = squared_error(y.reshape(outputs.shape), outputs)
    """,
    "moving-average": """
        The product of two numbers is the same in either order.
        - np.multiply(values, 1 - beta, out=work)
        + np.multiply(1 - beta, values, out=work)
    """,
}
