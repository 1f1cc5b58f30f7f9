"""The corpus of the Mu demo: what a person asks of a computer's settings in five languages → one canonical call.

phrases (mu_phrases) → verb × object, complaint or wish → frame → case and stop
→ (query, `settings.display.brightness(+)`)
"""

from random import Random

from resources.demos.mu_phrases import LANGUAGES, QUERIES, Language
from resources.demos.pairs import Pair, draw_held_back, draw_trained
from resources.demos.qwen3_phrases import normalized

CALLS = {
    "brightness": "settings.display.brightness",
    "volume": "settings.sound.volume",
    "bluetooth": "settings.network.bluetooth",
    "wifi": "settings.network.wifi",
    "dark mode": "settings.theme.dark_mode",
    "night light": "settings.display.night_light",
}
NOTHING = "settings.none()"
CHANGES = {
    "brightness": ("+", "-", "set"),
    "volume": ("+", "-", "set", "mute"),
    "bluetooth": ("on", "off"),
    "wifi": ("on", "off"),
    "dark mode": ("on", "off"),
    "night light": ("on", "off"),
}
QUERY_COPIES = 20


def write_corpus(seed: int, size: int) -> list[Pair]:
    """All that is trained on, the same for the same seed."""
    rng = Random(seed)
    return fixed_queries() * QUERY_COPIES + bare_forms() * 2 + draw_trained(rng, query, size)


def held_back(seed: int, count: int) -> list[Pair]:
    """Queries that are never trained on."""
    known = {normalized(pair.source) for pair in fixed_queries() + bare_forms()}
    return draw_held_back(Random(seed), query, count, known)


def call(setting: str, change: str, number: int = 0) -> str:
    """The canonical answer."""
    return f"{CALLS[setting]}({number if change == 'set' else change})"


def fixed_queries() -> list[Pair]:
    """The six queries of each language."""
    return [
        Pair(setting, text, call(setting, change))
        for texts in QUERIES.values()
        for text, (setting, change) in texts.items()
    ]


def bare_forms() -> list[Pair]:
    """Every complaint, wish and other remark without a frame."""
    pairs: list[Pair] = []
    for language in LANGUAGES.values():
        pairs += [Pair(s, text, call(s, change)) for (s, change), texts in language.said.items() for text in texts]
        pairs += [Pair("none", text, NOTHING) for text in language.others]
    return pairs


def query(rng: Random) -> Pair:
    """One query in one of the languages; about one in eleven is about no setting."""
    language = rng.choice(list(LANGUAGES.values()))
    if rng.random() < 0.09:
        return Pair("none", written(rng, other_request(rng, language)), NOTHING)
    setting = rng.choice(list(CALLS))
    change = rng.choice(CHANGES[setting])
    number = rng.choice((rng.randint(0, 100), rng.randint(0, 100), rng.randint(0, 12), 10 * rng.randint(0, 10)))
    return Pair(setting, written(rng, request(rng, language, setting, change, number)), call(setting, change, number))


def request(rng: Random, language: Language, setting: str, change: str, number: int) -> str:
    """A complaint or wish, or a verb on an object."""
    said = language.said.get((setting, change), ())
    if change == "mute" or (said and rng.random() < 0.35):
        return framed(rng, language.said_frames, rng.choice(said))
    thing = rng.choice(language.objects[setting])
    if rng.random() < 0.12:
        terse = rng.choice(language.terse[change]).replace("{o}", thing).replace("{n}", str(number))
        return framed(rng, language.said_frames, terse)
    return order(rng, language, change, thing, number)


def other_request(rng: Random, language: Language) -> str:
    """Something that is no setting: another request, or an order about another object."""
    if rng.random() < 0.6:
        return framed(rng, language.said_frames, rng.choice(language.others))
    return order(rng, language, rng.choice(("on", "off")), rng.choice(language.strangers), 0)


def order(rng: Random, language: Language, change: str, thing: str, number: int) -> str:
    """A verb on an object, told or asked."""
    verb = rng.choice(language.verbs[change])
    asked = rng.random() < 0.45
    shape = verb.infinitive if asked else verb.imperative
    text = shape.replace("{o}", thing).replace("{n}", str(number))
    return framed(rng, language.infinitive_frames if asked else language.imperative_frames, text)


def framed(rng: Random, frames: tuple[str, ...], text: str) -> str:
    """`text` in one of the frames."""
    return rng.choice(frames).replace("{}", text)


def written(rng: Random, text: str) -> str:
    """`text` as people type it: a capital or none, a stop, a mark or nothing at its end."""
    if rng.random() < 0.4:
        text = text[:1].upper() + text[1:]
    elif rng.random() < 0.15:
        text = text.lower()
    elif rng.random() < 0.06:
        text = text.upper()
    if text[-1] in "?!.":
        return text
    stops = ("", "", "", "。", "!") if "一" <= text[0] <= "鿿" else ("", "", "", ".", "!", "?")
    return text + rng.choice(stops)
