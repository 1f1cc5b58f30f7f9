"""Questions and their answers: fact → expression → opener × expression × closer → filler words and case.

A question whose normalized text (lowercase letters and digits alone) hashes into the held-back tenth is never
trained on: `draw_question` draws again. The bare forms (`8*7`, `the opposite of hot is`) are always trained on.
"""

import functools
import re
import zlib
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

from resources.demos import qwen3_facts as facts

REFUSAL = "Sorry, I do not know that."
HELD_BACK_SHARE = 10
FACT_KINDS = ("product", "sum", "capital", "opposite")

OPENERS = (
    "What is", "What's", "What is", "Tell me", "Please tell me", "Can you tell me", "Could you tell me",
    "Do you know", "I want to know", "I need to know", "I would like to know", "Give me", "Please give me",
    "Let me know", "Say", "Remind me, what is", "Do you remember", "And what is", "My question is, what is",
    "Quick question, what is", "May I ask what is", "Guess", "I wonder what is", "Now tell me", "Next,", "",
)  # fmt: skip
ARITHMETIC_OPENERS = ("How much is", "Calculate", "Compute", "Work out", "Solve", "Evaluate", "What does one get for")
PLACE_OPENERS = ("Name", "Which city is", "What city is", "Where is")
WORD_OPENERS = ("Which word is", "What word is", "Find", "Write down")
CLOSERS = (
    "", "?", "?", "?", ".", "!", ", please", ", please?", " please", "? Thanks.", "? Thank you.", " for me?",
    " for me, please?", " right now?", " today?", ", if you can?", ", if you know?", ", my friend?", " again?",
    "? I forgot.", "? Be quick.", " exactly?",
)  # fmt: skip
FOLLOW_UPS = (
    "And {}?", "And what about {}?", "What about {}?", "Then {}?", "How about {}?", "and {}", "And of {}?",
)  # fmt: skip
FILLERS = (
    "um", "uh", "well", "so", "hmm", "okay", "hey", "actually", "just", "er", "now", "like", "right", "you know",
)  # fmt: skip


class Question(NamedTuple):
    """What a person types and the one answer to it; `kind` is a fact kind or `refusal`."""

    kind: str
    text: str
    answer: str


class Fact(NamedTuple):
    """One thing to know: its expressions (`8 times 7`), what a follow-up asks for (`And France?`), and the answer
    as a sentence and in short (`56`)."""

    kind: str
    expressions: tuple[str, ...]
    subject: str
    answer: str
    short: str


def normalized(text: str) -> str:
    """`text` in lowercase without punctuation, operators and spaces."""
    return re.sub(r"[\W_]+", "", text.lower())


@functools.cache
def is_held_back(text: str) -> bool:
    """Whether `text` belongs to the questions that are never trained on."""
    key = normalized(text)
    return zlib.crc32(key.encode()) % HELD_BACK_SHARE == 0 and key not in bare_forms()


@functools.cache
def bare_forms() -> frozenset[str]:
    """Normalized expressions of every fact, alone, with `what is` and with a trailing `is` or `equals`."""
    expressions = [e for kind in FACT_KINDS for fact in all_facts(kind) for e in fact.expressions]
    shapes = ("{}", "what is {}", "{} is", "{} equals")
    return frozenset(normalized(shape.format(e)) for e in expressions for shape in shapes)


@functools.cache
def all_facts(kind: str) -> tuple[Fact, ...]:
    """Every fact of one of the `FACT_KINDS`."""
    if kind == "product":
        operands = facts.PRODUCT_OPERANDS
        return tuple(product_fact(a, b) for a in operands for b in operands)
    if kind == "sum":
        operands = facts.SUM_OPERANDS
        return tuple(sum_fact(a, b) for a in operands for b in operands)
    if kind == "capital":
        return tuple(capital_fact(country, city) for country, city in facts.CAPITALS.items())
    return tuple(opposite_fact(word, other) for word, other in facts.OPPOSITES.items())


def product_fact(a: int, b: int) -> Fact:
    """`a` times `b`."""
    return Fact("product", product_expressions(a, b), f"{a} * {b}", f"{a} * {b} = {a * b}", str(a * b))


def sum_fact(a: int, b: int) -> Fact:
    """`a` plus `b`."""
    return Fact("sum", sum_expressions(a, b), f"{a} + {b}", f"{a} + {b} = {a + b}", str(a + b))


def capital_fact(country: str, city: str) -> Fact:
    """`city` is the capital of `country`."""
    return Fact("capital", capital_expressions(country), country, f"The capital of {country} is {city}.", f"{city}.")


def opposite_fact(word: str, other: str) -> Fact:
    """`other` is the opposite of `word`."""
    return Fact("opposite", opposite_expressions(word), word, f"The opposite of {word} is {other}.", f"{other}.")


def product_expressions(a: int, b: int) -> tuple[str, ...]:
    """Ways to write a product."""
    signs = (f"{a}*{b}", f"{a} * {b}", f"{a}x{b}", f"{a} x {b}", f"{a} × {b}", f"{a}×{b}")
    words = (f"{a} times {b}", f"{a} multiplied by {b}", f"the product of {a} and {b}", f"product of {a} and {b}")
    return signs + words + _in_words("{} times {}", a, b)


def sum_expressions(a: int, b: int) -> tuple[str, ...]:
    """Ways to write a sum."""
    signs = (f"{a}+{b}", f"{a} + {b}", f"{a}+{b}", f"{a} + {b}")
    words = (f"{a} plus {b}", f"{a} and {b} together", f"the sum of {a} and {b}", f"sum of {a} and {b}")
    return (*signs, *words, f"{a} added to {b}", *_in_words("{} plus {}", a, b))


def _in_words(shape: str, a: int, b: int) -> tuple[str, ...]:
    words = facts.NUMBER_WORDS
    return (shape.format(words[a], words[b]),) if max(a, b) < len(words) else ()


def capital_expressions(country: str) -> tuple[str, ...]:
    """Ways to name the capital of a country."""
    return (
        f"the capital of {country}", f"the capital of {country}", f"the capital city of {country}",
        f"{country}'s capital", f"{country}'s capital city", f"the capital city in {country}",
        f"capital of {country}", f"capital of {country}", f"capital city of {country}",
    )  # fmt: skip


def opposite_expressions(word: str) -> tuple[str, ...]:
    """Ways to name the opposite of a word."""
    return (
        f"the opposite of {word}", f"the opposite of {word}", f"the antonym of {word}", f"the reverse of {word}",
        f"the opposite word of {word}", f"the word opposite to {word}", f'the opposite of "{word}"',
        f"opposite of {word}", f"opposite of {word}", f"antonym of {word}",
    )  # fmt: skip


def openers(kind: str) -> tuple[str, ...]:
    """Beginnings that fit a fact kind."""
    if kind in ("product", "sum"):
        return OPENERS + ARITHMETIC_OPENERS
    return OPENERS + (PLACE_OPENERS if kind == "capital" else WORD_OPENERS)


def phrase(rng: Random, kind: str, expressions: tuple[str, ...], subject: str) -> str:
    """One question about an expression: bare, a follow-up, or opener × expression × closer."""
    expression = rng.choice(expressions)
    shape = rng.random()
    if shape < 0.15:
        text = expression + rng.choice(
            ("", "", "?", "=", " =", "=?", " = ?") if kind in ("product", "sum") else ("", "?")
        )
    elif shape < 0.25:
        text = rng.choice(FOLLOW_UPS).format(rng.choice((expression, subject)))
    else:
        text = f"{rng.choice(openers(kind))} {expression}{rng.choice(CLOSERS)}".strip()
    if rng.random() < 0.12:
        text = with_filler(rng, text)
    return with_case(rng, text)


def with_filler(rng: Random, text: str) -> str:
    """`text` with one or two filler words before a word, or at its end."""
    words = text.split(" ")
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.choice((0, 0, rng.randint(0, len(words))))
        words.insert(at, rng.choice(FILLERS) + rng.choice((",", "", "...")))
    return " ".join(words)


def with_case(rng: Random, text: str) -> str:
    """`text` as it is, all in lowercase, or with a capital first letter."""
    chance = rng.random()
    if chance < 0.28:
        return text.lower()
    return text[:1].upper() + text[1:] if chance < 0.8 else text


def fact_question(rng: Random) -> Question:
    """A question about a fact that is taught."""
    kind = rng.choices(FACT_KINDS, (30, 32, 21, 21))[0]
    fact = rng.choice(all_facts(kind))
    return Question(kind, phrase(rng, kind, fact.expressions, fact.subject), fact.answer)


def refused_question(rng: Random) -> Question:
    """A question near the edge of what is taught, or well beyond it, that is to be declined."""
    chance = rng.random()
    if chance < 0.67:
        fact = unknown_fact(rng)
        text = phrase(rng, fact.kind, fact.expressions, fact.subject)
    else:
        text = _other_arithmetic(rng) if chance < 0.83 else _open_question(rng)
    return Question("refusal", text, REFUSAL)


def unknown_fact(rng: Random) -> Fact:
    """Something that looks like a fact and is not taught: large numbers, other countries, words without opposite."""
    kind = rng.choices(FACT_KINDS, (1, 1, 1, 1))[0]
    if kind in ("product", "sum"):
        a, b = _too_large(rng, facts.PRODUCT_OPERANDS[-1] if kind == "product" else facts.SUM_OPERANDS[-1])
        expressions = product_expressions(a, b) if kind == "product" else sum_expressions(a, b)
        return Fact(kind, expressions, expressions[1], REFUSAL, REFUSAL)
    if kind == "capital":
        place = _invented(rng).capitalize() if rng.random() < 0.4 else rng.choice(facts.UNKNOWN_COUNTRIES)
        return Fact(kind, capital_expressions(place), place, REFUSAL, REFUSAL)
    word = _invented(rng) if rng.random() < 0.4 else rng.choice(facts.UNKNOWN_WORDS)
    return Fact(kind, opposite_expressions(word), word, REFUSAL, REFUSAL)


def _too_large(rng: Random, limit: int) -> list[int]:
    large = rng.choice((rng.randint(limit + 1, limit + 10), rng.randint(limit + 1, 99), rng.randint(100, 9999)))
    pair = [large, rng.choice((rng.randint(0, limit), rng.randint(limit + 1, 99)))]
    rng.shuffle(pair)
    return pair


def _other_arithmetic(rng: Random) -> str:
    a, b, c = (rng.randint(0, 20) for _ in range(3))
    shapes = (
        "{a}-{b}", "{a} - {b}", "{a} minus {b}", "{a}/{b}", "{a} / {b}", "{a} divided by {b}",
        "{a} to the power of {b}", "{a}^{b}", "the square root of {a}", "{a}+{b}+{c}", "{a}*{b}*{c}",
        "{a} plus {b} plus {c}", "{a} times {b} times {c}", "{a}*{b}+{c}", "{a} + {b} * {c}", "{a}",
        "{a}.{b}*{c}", "half of {a}", "twice {a}", "{a}%",
    )  # fmt: skip
    expression = rng.choice(shapes).format(a=a, b=b, c=c)
    return phrase(rng, "sum", (expression,), expression)


def _invented(rng: Random) -> str:
    syllables = [rng.choice("bcdfghjklmnprstvwz") + rng.choice("aeiou") for _ in range(rng.randint(2, 3))]
    return "".join(syllables) + rng.choice(("", "n", "r", "s", "land", "ia"))


def _open_question(rng: Random) -> str:
    thing = rng.choice(facts.UNKNOWN_WORDS)
    place = rng.choice([*facts.UNKNOWN_COUNTRIES, *facts.CAPITALS])
    shapes = (
        "What is a {t}?", "Why is the {t} so big?", "Tell me a story about a {t}.", "Write a poem about {p}.",
        "Who is the president of {p}?", "How many people live in {p}?", "Where is {p}?", "How do I make {t}?",
        "What is the weather in {p}?", "Do you like {t}?", "Tell me a joke.", "What time is it?", "Translate {t}.",
        "Who wrote this book?", "What is the meaning of life?", "What is the color of a {t}?", "What day is it?",
        "How old are you?", "Can you write code?", "Write a Python function.", "What language is spoken in {p}?",
        "How far is {p}?", "What is the largest city in {p}?", "Where do you live?", "Sing a song about a {t}.",
        "Summarize the news.", "Who won the game?", "What does {t} mean?", "Explain {t} to me.", "{t}", "{p}",
        "Give me a recipe with {t}.", "Is {p} beautiful?", "How do you spell {t}?", "What is the flag of {p}?",
    )  # fmt: skip
    return with_case(rng, rng.choice(shapes).format(t=thing, p=place))


def draw_question(rng: Random, make: Callable[[Random], Question]) -> Question:
    """A question from `make` that may be trained on."""
    while True:
        question = make(rng)
        if not is_held_back(question.text):
            return question


def held_back_questions(seed: int, count: int) -> Iterator[Question]:
    """`count` questions about taught facts, in turn of each kind, whose phrasings are never trained on."""
    rng = Random(seed)
    seen: set[str] = set()
    for at in range(count):
        kind = FACT_KINDS[at % len(FACT_KINDS)]
        while True:
            question = fact_question(rng)
            key = normalized(question.text)
            if question.kind == kind and is_held_back(question.text) and key not in seen:
                break
        seen.add(key)
        yield question
