"""Small stories of the T5 demo, each with the one sentence that it comes down to."""

from random import Random
from typing import NamedTuple

Story = tuple[str, str]  # text, gist


class Person(NamedTuple):
    """A name and its pronouns."""

    name: str
    he: str
    his: str


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.replace("_", " ") for word in text.split())


WOMEN = _words("Anna Clara Emma Grace Ida Kate Mia Olga Rosa Tina Alice Laura Nina Ruth Vera")
MEN = _words("Ben David Felix Hugo Jack Leo Noah Paul Sam Victor Karl Max Oscar Peter Tom")
PEOPLE = tuple([Person(name, "She", "her") for name in WOMEN] + [Person(name, "He", "his") for name in MEN])
PLACES = _words("market park station library school beach museum village harbour garden zoo bakery")
THINGS = _words(
    "book hat lamp ring cake watch picture bag scarf bicycle umbrella clock letter key ball kite apple coat"
)
COLOURS = _words("red blue green old new small big yellow black pretty")
RELATIVES = _words("sister brother mother father friend aunt uncle teacher neighbour daughter son")
DAYS = _words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
TIMES = ("On {day}", "On {day} morning", "Last {day}", "Yesterday", "In the morning", "After lunch", "One day")
TRANSPORT = _words("train bus car boat bicycle plane")
CITIES = _words("Paris London Rome Berlin Madrid Vienna Oslo Lisbon Dublin Prague")
SIGHTS = _words("castle museum church bridge tower palace market cathedral")
HIDEOUTS = ("under a bench", "behind a tree", "in a box", "on a wall", "near the door", "under a chair", "in the grass")
DISHES = _words("soup bread pizza salad cake pie stew pasta")
ANIMALS = _words("dog cat bird horse rabbit duck")
TEAMS = _words("Lions Tigers Bears Eagles Wolves Sharks Foxes Hawks")
NUMBERS = _words("one two three four five six seven")
WEATHER = (
    "The weather was nice.", "It was raining.", "The sun was shining.", "It was very cold.", "The sky was grey.",
    "It was a windy day.", "Snow lay on the roofs.", "It was hot.",
)  # fmt: skip
ASIDES = (
    "There were many people.", "Nobody was in a hurry.", "A dog was barking.", "Music was playing.",
    "The streets were full.", "Everything was quiet.", "It was almost noon.", "Children were laughing.",
    "Somebody was singing.", "The shops were closing.",
)  # fmt: skip
ENDINGS = (
    "{he} was very happy.", "{he} was tired but happy.", "Then {name} went home.", "{he} will never forget that day.",
    "{he} told everyone about it.", "In the evening {name} went to bed early.", "It was a good day.",
)  # fmt: skip


def story(rng: Random) -> Story:
    """Three to seven sentences: the facts in their order, with what does not matter in between."""
    person = rng.choice(PEOPLE)
    facts, gist = rng.choice((gift, loss, journey, meal, rescue, match, match, match))(rng, person)
    when = rng.choice(TIMES).format(day=rng.choice(DAYS))
    plain = facts[0].startswith(person.name) and rng.random() < 0.15
    lines = [facts[0] if plain else f"{when} {facts[0]}"]
    aside = rng.sample(WEATHER + ASIDES, 4)
    for fact in facts[1:]:
        if rng.random() < 0.6:
            lines.append(aside.pop())
        lines.append(fact)
    if rng.random() < 0.3:
        lines.insert(0, aside.pop())
    if rng.random() < 0.5:
        lines.append(rng.choice(ENDINGS).format(name=person.name, he=person.he))
    return " ".join(lines), gist


def a(words: str) -> str:
    """With the article."""
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def gift(rng: Random, who: Person) -> tuple[list[str], str]:
    """Somebody bought something, mostly for somebody."""
    place, thing, colour, relative = (rng.choice(words) for words in (PLACES, THINGS, COLOURS, RELATIVES))
    bought = rng.choice(("bought", "found", "chose"))
    there = rng.choice((who.he, who.he, f"There {who.name}", f"There {who.he.lower()}"))
    facts = [
        f"{who.name} went to the {place}.",
        rng.choice(
            (
                f"{who.he} wanted a present for {who.his} {relative}.",
                f"{who.his.capitalize()} {relative} had a birthday.",
                f"{who.he} was looking for something nice for {who.his} {relative}.",
            )
        ),
        f"{there} {bought} {a(rng.choice((f'{colour} {thing}', thing)))}.",
    ]
    if rng.random() < 0.3:
        return [facts[0], facts[2]], f"{who.name} {bought} {a(thing)} at the {place}."
    return facts, f"{who.name} {bought} {a(thing)} for {who.his} {relative} at the {place}."


def loss(rng: Random, who: Person) -> tuple[list[str], str]:
    """Somebody lost something and found it."""
    place, thing, colour, hideout = (rng.choice(words) for words in (PLACES, THINGS, COLOURS, HIDEOUTS))
    facts = [
        f"{who.name} lost {who.his} {colour} {thing} at the {place}.",
        rng.choice((f"{who.he} looked everywhere.", f"{who.he} was sad.", f"{who.name} asked all {who.his} friends.")),
        rng.choice(
            (
                f"At last it was {hideout}.",
                f"After an hour {who.name} saw it {hideout}.",
                f"{who.he} found it {hideout}.",
            )
        ),
    ]
    return facts, f"{who.name} lost {who.his} {thing} at the {place} and found it {hideout}."


def journey(rng: Random, who: Person) -> tuple[list[str], str]:
    """Somebody went to a city."""
    city, transport, sight, relative = (rng.choice(words) for words in (CITIES, TRANSPORT, SIGHTS, RELATIVES))
    facts = [
        rng.choice((f"{who.name} took the {transport} to {city}.", f"{who.name} travelled to {city} by {transport}.")),
        rng.choice(
            (f"{who.his.capitalize()} {relative} came along.", f"{who.he} went together with {who.his} {relative}.")
        ),
        rng.choice(
            (f"They visited the {sight}.", f"There they looked at the {sight}.", f"In {city} they saw the {sight}.")
        ),
    ]
    return facts, f"{who.name} and {who.his} {relative} visited the {sight} in {city}."


def meal(rng: Random, who: Person) -> tuple[list[str], str]:
    """Somebody cooked for guests."""
    number, dish, relative = rng.choice(NUMBERS[1:]), rng.choice(DISHES), rng.choice(RELATIVES)
    facts = [
        f"{who.name} invited {number} friends.",
        rng.choice((f"{who.he} wanted to cook something.", f"{who.he} had nothing in the kitchen.")),
        rng.choice(
            (
                f"{who.his.capitalize()} {relative} helped to make a {dish}.",
                f"With {who.his} {relative} {who.name} made a {dish}.",
            )
        ),
    ]
    return facts, f"{who.name} and {who.his} {relative} made a {dish} for {number} friends."


def rescue(rng: Random, who: Person) -> tuple[list[str], str]:
    """Somebody helped an animal."""
    animal, colour, place, relative = (rng.choice(words) for words in (ANIMALS, COLOURS, PLACES, RELATIVES))
    facts = [
        f"{who.name} saw {a(f'{colour} {animal}')} near the {place}.",
        rng.choice(("It was hurt.", "It was hungry.", "It was alone.", "It could not walk.")),
        rng.choice((f"{who.he} carried it home.", f"{who.name} took it home.")),
        rng.choice(
            (f"{who.his.capitalize()} {relative} gave it some food.", f"Its new owner is {who.his} {relative}.")
        ),
    ]
    return facts, f"{who.name} took {a(f'{colour} {animal}')} home from the {place}."


def match(rng: Random, who: Person) -> tuple[list[str], str]:
    """A team beat another; the person only watched."""
    (first, second), (low, high) = rng.sample(TEAMS, 2), sorted(rng.sample(range(len(NUMBERS)), 2))
    winner, loser = rng.choice(((first, second), (second, first)))
    score = f"{NUMBERS[high]} to {NUMBERS[low]}"
    facts = [
        f"the {first} played against the {second}.",
        rng.choice(
            (f"{who.name} watched the game.", f"{who.name} was there, too.", f"{who.name} sat in the first row.")
        ),
        rng.choice((f"The {winner} won {score}.", f"The {loser} lost {score}.", f"It was {score} for the {winner}.")),
    ]
    return facts, f"The {winner} beat the {loser} {score}."
