"""Changes in the answers of module 14 that no valid input can tell from them."""

EQUIVALENT = {
    "trace-memory": """
        A tracing that is on is not started again.
        - if not was_tracing:
        + if True:

        Whether garbage is collected first is left to the answer.
        - gc.collect()
        + pass

        Right after it was reset the peak is what is taken now.
        - before = tracemalloc.get_traced_memory()[0]
        + before = tracemalloc.get_traced_memory()[1]
        + before = tracemalloc.get_traced_memory()[-1]
    """,
    "measure-machine": """
        What is multiplied, and where the product goes, is left to the answer.
        - computing = measure(lambda: np.matmul(a, a, out=product)).minimum
        + computing = measure(lambda: np.matmul(a, a)).minimum
        + computing = measure(lambda: np.matmul(a, a, out=a)).minimum
        + computing = measure(lambda: np.matmul(a, product, out=a)).minimum

        A copy of as many bytes, in the other direction.
        - copying = measure(lambda: np.copyto(target, source)).minimum
        + copying = measure(lambda: np.copyto(source, target)).minimum
    """,
    "roofline": """
        The smaller of two numbers is the same in either order.
        - attainable = min(machine.flops_per_second, intensity * machine.bytes_per_second)
        + attainable = min(intensity * machine.bytes_per_second, machine.flops_per_second)
    """,
    "find-nan": """
        The first of what is found is returned, and there is one.
        - if made_here and call.kind != 'module' and (not found):
        + if made_here and call.kind != 'module':
        - return found[0] if found else None
        + return found[-1] if found else None
    """,
}
