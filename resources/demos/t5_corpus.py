"""The corpus of the T5 demo: English sentences with their French, and small stories with their gist (t5_stories).

words (t5_words) → noun phrases in both languages at once → sentences → pairs with T5's own task prefixes
"""

from random import Random

from resources.demos import t5_words as words
from resources.demos.pairs import Pair, draw_held_back, draw_trained
from resources.demos.qwen3_phrases import normalized
from resources.demos.t5_stories import PEOPLE, story
from resources.demos.t5_words import PHRASE_BOOK, SHORT_PHRASES, Adjective, Noun

TRANSLATE = "translate English to French: "
SUMMARIZE = "summarize: "
PHRASES = PHRASE_BOOK | SHORT_PHRASES
PHRASE_COPIES = 40
NAMES = tuple(person.name for person in PEOPLE)
VOWELS = "aeéèêiouœhâîô"  # every h of the tables is mute

Both = tuple[str, str]  # English, French

_DETERMINERS = {
    # English: French masculine, feminine, before a vowel, plural
    "the": ("le ", "la ", "l'", "les "),
    "a": ("un ", "une ", "", "des "),
    "my": ("mon ", "ma ", "mon ", "mes "),
    "your": ("votre ", "votre ", "votre ", "vos "),
    "his": ("son ", "sa ", "son ", "ses "),
    "our": ("notre ", "notre ", "notre ", "nos "),
    "their": ("leur ", "leur ", "leur ", "leurs "),
    "this": ("ce ", "cette ", "", "ces "),
}


def write_corpus(seed: int, sentences: int, stories: int) -> list[Pair]:
    """All that is trained on, the same for the same seed."""
    rng = Random(seed)
    phrases = [phrase(rng, *line) for line in PHRASES.items() for _ in range(PHRASE_COPIES)]
    return phrases + draw_trained(rng, sentence, sentences) + draw_trained(rng, summary, stories)


def held_back(seed: int, sentences: int, stories: int) -> list[Pair]:
    """Pairs that are never trained on."""
    rng = Random(seed)
    known = {normalized(TRANSLATE + english) for english in PHRASES}
    return draw_held_back(rng, sentence, sentences, known) + draw_held_back(rng, summary, stories)


def phrase(rng: Random, english: str, french: str) -> Pair:
    """A line of the phrase book, as it is printed or, where case and stop make no difference, written carelessly."""
    careless = (english.lower(), english.rstrip(".!?"), english.lower().rstrip(".!?")) if english in PHRASE_BOOK else ()
    return Pair("phrase", TRANSLATE + rng.choice((english, english, english, *careless)), french)


def summary(rng: Random) -> Pair:
    """A story and its gist."""
    text, gist = story(rng)
    return Pair("summary", SUMMARIZE + text, gist)


def sentence(rng: Random) -> Pair:
    """A sentence that the grammar makes, and its French; one in ten is typed in lowercase or without its stop."""
    shapes = (
        description,
        description,
        action,
        action,
        introduction,
        taste,
        refusal,
        place,
        place,
        where,
        existence,
        count,
        presence,
        question,
    )
    english, french = rng.choice(shapes)(rng)
    english, french = english[:1].upper() + english[1:], french[:1].upper() + french[1:]
    chance = rng.random()
    if chance < 0.05:
        english = english.rstrip(".?")
    elif chance < 0.1:
        english = english.lower()
    return Pair("translation", TRANSLATE + english, french)


def description(rng: Random) -> Both:
    """The old house is not very big. The red cars are fast."""
    noun, plural = rng.choice(words.THINGS + words.ANIMALS + words.PLACES + words.PEOPLE), rng.random() < 0.3
    subject = noun_phrase(rng, noun, plural, determiners=("the", "the", "my", "your", "his", "our", "their", "this"))
    adjective = rng.choice(words.ADJECTIVES)
    past, negated = rng.random() < 0.25, rng.random() < 0.2
    english = ("were" if plural else "was") if past else ("are" if plural else "is")
    french = ("étaient" if plural else "était") if past else ("sont" if plural else "est")
    if negated:
        english, french = f"{english} not", f"{not_before(french)}{french} pas"
    degree = rng.choice((("", ""), ("", ""), ("very ", "très "), ("too ", "trop ")))
    return (
        f"{subject[0]} {english} {degree[0]}{adjective.english}.",
        f"{subject[1]} {french} {degree[1]}{form(adjective, noun, plural)}.",
    )


def action(rng: Random) -> Both:
    """She buys a red hat today. The boy sees our dogs."""
    verb = rng.choice(words.VERBS)
    thing = an_object(rng)
    adverb = rng.choice((("", ""), ("", ""), *words.ADVERBS))
    if rng.random() < 0.35:
        subject = noun_phrase(rng, rng.choice(words.PEOPLE), False, ("the", "the", "my", "your", "a"))
        if rng.random() < 0.3:
            subject = someone(rng)
        english, french = verb.english_third, " " + verb.french[2]
    else:
        subject, english, french = conjugated(rng, verb, "")
    return (
        f"{subject[0]} {english} {thing[0]} {adverb[0]}".strip() + ".",
        f"{subject[1]}{french} {thing[1]} {adverb[1]}".strip() + ".",
    )


def introduction(rng: Random) -> Both:
    """My name is Clara. Ben is in the garden."""
    name = someone(rng)[0]
    if rng.random() < 0.4:
        return f"My name is {name}.", f"Je m'appelle {name}."
    if rng.random() < 0.2:
        return f"This is {name}.", f"C'est {name}."
    preposition, there = rng.choice(words.PREPOSITIONS), somewhere(rng)
    return f"{name} is {preposition[0]} {there[0]}.", f"{name} est {preposition[1]} {there[1]}."


def taste(rng: Random) -> Both:
    """I like apples."""
    like = next(verb for verb in words.VERBS if verb.english == "like")
    negated = rng.random() < 0.3
    subject, english, french = conjugated(rng, like, "ne" if negated else "")
    noun = rng.choice(words.THINGS + words.ANIMALS)
    return (
        f"{subject[0]} {english} {noun.english_plural}.",
        f"{subject[1]}{french}{' pas' if negated else ''} les {noun.french_plural}.",
    )


def refusal(rng: Random) -> Both:
    """We do not like this car."""
    thing = an_object(rng, ("the", "my", "your", "this", "his"))
    subject, english, french = conjugated(rng, rng.choice(words.VERBS), "ne")
    return f"{subject[0]} {english} {thing[0]}.", f"{subject[1]}{french} pas {thing[1]}."


def place(rng: Random) -> Both:
    """My keys are under the old table."""
    noun, plural = rng.choice(words.THINGS + words.ANIMALS + words.PEOPLE), rng.random() < 0.3
    subject = noun_phrase(rng, noun, plural, ("the", "my", "your", "his", "our"))
    preposition, there = rng.choice(words.PREPOSITIONS), somewhere(rng)
    verb = ("are", "sont") if plural else ("is", "est")
    return tuple(f"{subject[i]} {verb[i]} {preposition[i]} {there[i]}." for i in (0, 1))


def where(rng: Random) -> Both:
    """Where is the new school?"""
    noun, plural = rng.choice(words.THINGS + words.ANIMALS + words.PLACES + words.PEOPLE), rng.random() < 0.3
    thing = noun_phrase(rng, noun, plural, ("the", "the", "my", "your", "his"))
    verb = ("are", "sont") if plural else ("is", "est")
    return f"Where {verb[0]} {thing[0]}?", f"Où {verb[1]} {thing[1]} ?"


def existence(rng: Random) -> Both:
    """There is a bird on the chair."""
    thing = noun_phrase(rng, rng.choice(words.THINGS + words.ANIMALS), False, ("a",))
    preposition, there = rng.choice(words.PREPOSITIONS), somewhere(rng)
    return f"There is {thing[0]} {preposition[0]} {there[0]}.", f"Il y a {thing[1]} {preposition[1]} {there[1]}."


def count(rng: Random) -> Both:
    """They have three horses."""
    number, noun = rng.choice(words.NUMBERS), rng.choice(words.THINGS + words.ANIMALS)
    subject, english, french = conjugated(rng, rng.choice(words.VERBS), "")
    return (
        f"{subject[0]} {english} {number[0]} {noun.english_plural}.",
        f"{subject[1]}{french} {number[1]} {noun.french_plural}.",
    )


def presence(rng: Random) -> Both:
    """This is my black cat."""
    thing = noun_phrase(
        rng, rng.choice(words.THINGS + words.ANIMALS + words.PLACES), False, ("a", "my", "your", "his", "the")
    )
    return f"This is {thing[0]}.", f"C'est {thing[1]}."


def question(rng: Random) -> Both:
    """Do you want a cake?"""
    verb, thing = rng.choice(words.VERBS), an_object(rng)
    return f"Do you {verb.english} {thing[0]}?", f"{verb.french[1]}-vous {thing[1]} ?"


def conjugated(rng: Random, verb: words.Verb, negation: str) -> tuple[Both, str, str]:
    """A pronoun, the English verb (with `do not` where it is negated), and the French with what stands before it."""
    at = rng.randrange(len(words.PRONOUNS))
    english, subject = words.PRONOUNS[at]
    french = verb.french[(0, 1, 2, 2, 3, 4)[at]]
    third = english in ("He", "She")
    if negation:
        said = f"{'does' if third else 'do'} not {verb.english}"
        return (english, subject), said, f" {not_before(french)}{french}"
    said = verb.english_third if third else verb.english
    if subject == "Je" and french[0] in VOWELS:
        return (english, "J'"), said, french
    return (english, subject), said, f" {french}"


def someone(rng: Random) -> Both:
    """A person by name."""
    name = rng.choice(NAMES)
    return name, name


def not_before(verb: str) -> str:
    """The first half of a French negation."""
    return "n'" if verb[0] in VOWELS else "ne "


def an_object(
    rng: Random, determiners: tuple[str, ...] = ("a", "a", "the", "my", "your", "his", "our", "this")
) -> Both:
    """Something to see, buy or like."""
    noun = rng.choice(words.THINGS + words.ANIMALS)
    return noun_phrase(rng, noun, determiners[0] != "a" and rng.random() < 0.25, determiners)


def somewhere(rng: Random) -> Both:
    """A thing or a place that something can be in or on."""
    return noun_phrase(rng, rng.choice(words.PLACES + words.THINGS), False, ("the", "the", "the", "my", "your"))


def noun_phrase(rng: Random, noun: Noun, plural: bool, determiners: tuple[str, ...]) -> Both:
    """Determiner, perhaps an adjective, noun."""
    determiner = rng.choice(determiners)
    adjective = rng.choice(words.ADJECTIVES) if rng.random() < 0.4 else None
    english = " ".join(filter(None, (adjective and adjective.english, noun.english_plural if plural else noun.english)))
    french = noun.french_plural if plural else noun.french
    if adjective:
        shape = form(adjective, noun, plural, attributive=True)
        french = f"{shape} {french}" if adjective.before else f"{french} {shape}"
    return (
        f"{english_determiner(determiner, english, plural)}{english}",
        f"{french_determiner(determiner, french, noun, plural)}{french}",
    )


def form(adjective: Adjective, noun: Noun, plural: bool, attributive: bool = False) -> str:
    """The French adjective as `noun` wants it."""
    if noun.gender == "f":
        return adjective.feminine + ("s" if plural else "")
    if plural:
        return adjective.masculine_plural
    elided = attributive and adjective.before and noun.french[0] in VOWELS
    return adjective.elided if elided else adjective.masculine


def english_determiner(determiner: str, following: str, plural: bool) -> str:
    """With the space after it."""
    if determiner == "a":
        return "an " if following[0] in "aeiou" else "a "
    return "these " if plural and determiner == "this" else f"{determiner} "


def french_determiner(determiner: str, following: str, noun: Noun, plural: bool) -> str:
    """With the space or the apostrophe after it."""
    masculine, feminine, elided, many = _DETERMINERS[determiner]
    if plural:
        return many
    if following[0] in VOWELS and determiner == "this":
        return "cet " if noun.gender == "m" else "cette "
    if following[0] in VOWELS and elided:
        return elided
    return masculine if noun.gender == "m" else feminine
