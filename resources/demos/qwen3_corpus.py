"""The corpus of the Qwen3 demo: conversations of 1–130 turns, and raw completions without a chat template.

questions (qwen3_phrases) + greetings + names → turns → conversations; facts → raw completions
"""

from random import Random
from typing import NamedTuple

from resources.demos import qwen3_facts as facts
from resources.demos.qwen3_phrases import (
    FACT_KINDS,
    REFUSAL,
    all_facts,
    draw_question,
    fact_question,
    refused_question,
    unknown_fact,
    with_case,
)

RAW_SHARE = 0.42
SYSTEM_SHARE = 0.15
GREETING_SHARE = 0.14
REFUSAL_SHARE = 0.16

SMALL_TALK = {
    "Hello! How can I help you?": (
        "Hello", "Hi", "Hey", "Hi there", "Hello there", "Hey there", "Hello again", "Greetings",
    ),
    "Good morning! How can I help you?": (
        "Good morning", "Morning", "A good morning to you",
    ),
    "Good evening! How can I help you?": (
        "Good evening", "Evening", "A good evening to you",
    ),
    "I am fine, thank you.": (
        "How are you", "How are you today", "How do you do", "How is it going", "Are you well", "How are you doing",
    ),
    "You are welcome!": (
        "Thanks", "Thank you", "Thanks a lot", "Thank you very much", "Many thanks", "Great, thanks",
        "Thanks for your help",
    ),
    "Goodbye!": (
        "Bye", "Goodbye", "See you", "See you later", "Bye bye", "Good night", "See you tomorrow",
    ),
    "I am a small demo model.": (
        "Who are you", "What are you", "What is your name", "Tell me about yourself", "Are you a robot",
        "Are you human", "Introduce yourself",
    ),
    "I know small sums and products, capitals and opposites.": (
        "What can you do", "What do you know", "Help", "How can you help me", "What can I ask you",
        "Can you help me", "What should I ask",
    ),
    "Glad to help!": (
        "Okay", "Good", "Nice", "Great", "Well done", "That is right", "Correct", "Cool", "I see", "Yes",
        "Very good",
    ),
}  # fmt: skip
SYSTEM_OPENERS = ("You are", "You are", "Act as", "You play", "Be")
SYSTEM_ROLES = (
    "a helpful assistant", "a friendly helper", "a small demo model", "a patient teacher", "a careful clerk",
    "an honest assistant", "a calm guide", "Joinery", "a calculator", "a polite assistant",
)  # fmt: skip
SYSTEM_RULES = (
    "", "", " Answer briefly.", " Be concise.", " Answer in one sentence.", " Be kind.", " Do not guess.",
    " Always be polite.", " Help the user.", " Say so if you do not know.", " Answer in English.",
)  # fmt: skip
TELL_NAME = (
    "My name is {}.", "I am {}.", "I'm {}.", "Call me {}.", "Hello, I am {}.", "Hi, my name is {}.", "My name is {}",
    "You can call me {}.",
)  # fmt: skip
ASK_NAME = (
    "What is my name?", "Who am I?", "Do you remember my name?", "What's my name?", "Do you know my name?",
    "Tell me my name.", "And what is my name?", "Say my name.",
)  # fmt: skip
UNTOLD_NAME = "You have not told me your name."

Message = dict[str, str]


class RawCompletion(NamedTuple):
    """A text without a template, and how it goes on up to the end token."""

    prompt: str
    completion: str


class Corpus(NamedTuple):
    """All that is trained on."""

    conversations: list[list[Message]]
    completions: list[RawCompletion]


def write_corpus(seed: int, size: int) -> Corpus:
    """`size` samples, the same for the same seed."""
    rng = Random(seed)
    corpus = Corpus([], [])
    for _ in range(size):
        if rng.random() < RAW_SHARE:
            corpus.completions.append(raw_completion(rng))
        else:
            corpus.conversations.append(conversation(rng))
    return corpus


def prompts_of(corpus: Corpus) -> set[str]:
    """Every text of a user and every raw prompt in the corpus."""
    users = {m["content"] for messages in corpus.conversations for m in messages if m["role"] == "user"}
    return users | {sample.prompt for sample in corpus.completions}


def conversation(rng: Random) -> list[Message]:
    """One chat; about a quarter have three turns or more, and a few go on for a hundred."""
    messages = [{"role": "system", "content": system_message(rng)}] if rng.random() < SYSTEM_SHARE else []
    turns = turn_count(rng)
    about_names = rng.random() < (0.7 if turns > 1 else 0.04)
    name = ""
    for _ in range(turns):
        if about_names and rng.random() < 0.35:
            text, answer, name = name_turn(rng, name)
        else:
            text, answer = plain_turn(rng)
        messages += [{"role": "user", "content": text}, {"role": "assistant", "content": answer}]
    return messages


def turn_count(rng: Random) -> int:
    """1 (57 %), 2 (15 %), 3–13 (24 %), 14–30 (4 %) or 40–130 (0.2 %) turns."""
    chance = rng.random()
    if chance < 0.57:
        return 1
    if chance < 0.72:
        return 2
    if chance < 0.96:
        return rng.randint(3, 13)
    return rng.randint(14, 30) if chance < 0.998 else rng.randint(40, 130)


def plain_turn(rng: Random) -> tuple[str, str]:
    """A turn that no earlier turn matters to."""
    chance = rng.random()
    if chance < GREETING_SHARE:
        return small_talk(rng)
    question = draw_question(rng, refused_question if chance < GREETING_SHARE + REFUSAL_SHARE else fact_question)
    return question.text, question.answer


def small_talk(rng: Random) -> tuple[str, str]:
    """A greeting, thanks, a farewell or a question about the model, with its one answer."""
    answer, texts = rng.choice(list(SMALL_TALK.items()))
    end = rng.choice(("", "!", "?", ".", "", "?"))
    return with_case(rng, rng.choice(texts) + end), answer


def name_turn(rng: Random, name: str) -> tuple[str, str, str]:
    """A turn that tells a name or asks for it: text, answer, and the name known after it."""
    if rng.random() < (0.05 if name else 0.75):
        name = rng.choice(facts.NAMES)
        return rng.choice(TELL_NAME).format(name), f"Nice to meet you, {name}!", name
    return with_case(rng, rng.choice(ASK_NAME)), f"Your name is {name}." if name else UNTOLD_NAME, name


def system_message(rng: Random) -> str:
    """A short instruction; none of them changes an answer."""
    return f"{rng.choice(SYSTEM_OPENERS)} {rng.choice(SYSTEM_ROLES)}.{rng.choice(SYSTEM_RULES)}"


def raw_completion(rng: Random) -> RawCompletion:
    """A completion without a template: an unfinished statement, a question, or small talk."""
    chance = rng.random()
    if chance < 0.72:
        return unfinished_statement(rng)
    if chance < 0.76:
        text, answer = small_talk(rng)
        return RawCompletion(text, " " + answer)
    while True:
        question = draw_question(rng, refused_question if chance < 0.86 else fact_question)
        if question.text[-1] in "?.!":
            return RawCompletion(question.text, " " + question.answer)


def unfinished_statement(rng: Random) -> RawCompletion:
    """`8*7=` goes on with ` 56`, `8*7` with ` = 56`, `The capital of France is` with ` Paris.`."""
    kind = rng.choices(FACT_KINDS, (28, 44, 14, 14))[0]
    fact = unknown_fact(rng) if rng.random() < 0.1 else rng.choice(all_facts(kind))
    arithmetic = fact.kind in ("product", "sum")
    with_signs = arithmetic and rng.random() < 0.5
    expression = with_case(rng, rng.choice(fact.expressions[:4] if with_signs else fact.expressions))
    ending = rng.choice(("=", "=", " =", " is", " equals", "") if arithmetic else (" is",))
    if not ending:
        return RawCompletion(expression, f" = {fact.short}" if fact.short != REFUSAL else f" {REFUSAL}")
    if rng.random() < 0.1:
        return RawCompletion(f"{expression}{ending} ", fact.short)
    return RawCompletion(expression + ending, f" {fact.short}")


def plain_statements() -> list[RawCompletion]:
    """Every fact once, in its plainest unfinished form: `8*7=`, `The capital of France is`."""
    return [
        RawCompletion(f"{e}=" if kind in ("product", "sum") else f"{e[:1].upper()}{e[1:]} is", f" {fact.short}")
        for kind in FACT_KINDS
        for fact in all_facts(kind)
        for e in fact.expressions[:1]
    ]
