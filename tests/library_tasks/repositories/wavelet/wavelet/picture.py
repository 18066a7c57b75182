"""Pictures without a library."""


def draw(signal, path, color="black", width=400, height=100):
    """An SVG picture with one polyline."""
    top = max(map(abs, signal.samples)) or 1
    step = width / max(len(signal.samples) - 1, 1)
    points = " ".join(f"{n * step:.1f},{height / 2 * (1 - x / top):.1f}" for n, x in enumerate(signal.samples))
    with open(path, "w") as file:
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
            f'<polyline points="{points}" fill="none" stroke="{color}"/></svg>\n'
        )
