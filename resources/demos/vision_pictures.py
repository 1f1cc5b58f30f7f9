"""Pictures for the vision demo: a few shapes of one kind and colour, drawn with numpy, and questions about them.

seed ──▶ Drawing: pixels [64, 64, 3], colour, shape, count, cells ──question──▶ answer
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SIZE = 64
CELLS = 3
"""Places for shapes, in each direction."""
COLOURS = {
    "red": (220, 40, 40),
    "green": (40, 180, 60),
    "blue": (50, 80, 220),
    "yellow": (230, 210, 40),
    "black": (30, 30, 30),
}
SHAPES = ["circle", "square", "triangle"]
NUMBERS = ["one", "two", "three", "four"]
QUESTIONS = {
    "colour": ["What colour is it?", "Which colour do you see?", "What is the colour?"],
    "shape": ["What shape is it?", "Which shape do you see?", "What is the shape?"],
    "count": ["How many are there?", "How many shapes do you see?", "Count the shapes."],
    "all": ["Describe the picture.", "What do you see?", "What is in the picture?"],
}


class Drawing(NamedTuple):
    """pixels: uint8. cells: whether a shape is at each of CELLS × CELLS places. count: 1 to 4."""

    pixels: NDArray[np.uint8]
    colour: str
    shape: str
    count: int
    cells: NDArray[np.bool_]


def draw(rng: np.random.Generator) -> Drawing:
    """A random picture: shapes of a like colour and size on a bright ground, at places that vary a little."""
    colour, shape, count = (
        str(rng.choice(list(COLOURS))),
        str(rng.choice(SHAPES)),
        int(rng.integers(1, len(NUMBERS) + 1)),
    )
    pixels = np.empty((SIZE, SIZE, 3), np.float32)
    pixels[:] = rng.integers(215, 256, 3)
    places = rng.permutation(CELLS**2)[:count]
    for place in places:
        centre = 11 + 21 * np.array([place % CELLS, place // CELLS]) + rng.integers(-2, 3, 2)
        pixels[outline(shape, *centre, int(rng.integers(7, 10)))] = np.array(COLOURS[colour]) + rng.integers(-20, 21, 3)
    pixels += rng.normal(0, rng.uniform(0, 4), pixels.shape)
    cells = np.isin(np.arange(CELLS**2), places)
    return Drawing(pixels.clip(0, 255).astype(np.uint8), colour, shape, count, cells)


def outline(shape: str, x: int, y: int, radius: int) -> NDArray[np.bool_]:
    """[SIZE, SIZE]: the pixels of a shape around (x, y)."""
    rows, columns = np.mgrid[:SIZE, :SIZE]
    if shape == "circle":
        mask = (columns - x) ** 2 + (rows - y) ** 2 <= radius**2
    elif shape == "square":
        mask = (abs(columns - x) < radius) & (abs(rows - y) < radius)
    else:
        mask = (rows < y + radius) & (rows >= y - radius) & (abs(columns - x) <= (rows - y + radius) / 2)
    return np.asarray(mask)


def answer(drawing: Drawing, kind: str) -> str:
    """The right answer to a question of a kind of QUESTIONS."""
    number = NUMBERS[drawing.count - 1]
    plural = "" if drawing.count == 1 else "s"
    answers = {"colour": drawing.colour, "shape": drawing.shape, "count": number}
    return answers.get(kind, f"{number} {drawing.colour} {drawing.shape}{plural}")
