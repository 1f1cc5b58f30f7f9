"""The words of the T5 demo: English and French side by side, as plain tables."""

from typing import NamedTuple


class Noun(NamedTuple):
    """A noun in both languages; `gender` is the French one."""

    english: str
    english_plural: str
    french: str
    french_plural: str
    gender: str


class Adjective(NamedTuple):
    """An adjective in both languages; `elided` is the French masculine before a vowel, `before` its place."""

    english: str
    masculine: str
    feminine: str
    elided: str
    masculine_plural: str
    before: bool


class Verb(NamedTuple):
    """A verb in both languages; `french` for je, vous, il, nous, ils."""

    english: str
    english_third: str
    french: tuple[str, ...]


def _nouns(table: str) -> tuple[Noun, ...]:
    """Rows of english/french/gender, or english/plural/french/plural/gender where a plural is no `s`."""
    nouns = []
    for row in table.split():
        parts = row.replace("_", " ").split("/")
        if len(parts) == 3:
            parts = [parts[0], parts[0] + "s", parts[1], parts[1] + "s", parts[2]]
        nouns.append(Noun(*parts))
    return tuple(nouns)


def _adjectives(table: str, before: bool) -> tuple[Adjective, ...]:
    """Rows of english/masculine/feminine, with /elided/plural where they differ from the masculine and its `s`."""
    adjectives = []
    for row in table.split():
        parts = row.split("/")
        if len(parts) == 3:
            parts += [parts[1], parts[1] + "s"]
        adjectives.append(Adjective(*parts, before))
    return tuple(adjectives)


def _verbs(table: str) -> tuple[Verb, ...]:
    verbs = []
    for row in table.split():
        english, third, *french = row.replace("_", " ").split("/")
        verbs.append(Verb(english, third, tuple(french)))
    return tuple(verbs)


THINGS = _nouns(
    "book/livre/m table/table/f chair/chaise/f car/voiture/f key/clé/f letter/lettre/f flower/fleur/f lamp/lampe/f "
    "bag/sac/m hat/hats/chapeau/chapeaux/m coat/coats/manteau/manteaux/m shirt/chemise/f bicycle/vélo/m "
    "knife/knives/couteau/couteaux/m apple/pomme/f cake/cakes/gâteau/gâteaux/m bottle/bouteille/f "
    "box/boxes/boîte/boîtes/f "
    "picture/image/f clock/horloge/f umbrella/parapluie/m ring/bague/f tree/arbre/m watch/watches/montre/montres/f"
)
ANIMALS = _nouns(
    "cat/chat/m dog/chien/m bird/birds/oiseau/oiseaux/m horse/horses/cheval/chevaux/m cow/vache/f rabbit/lapin/m "
    "mouse/mice/souris/souris/f"
)
PLACES = _nouns(
    "house/maison/f garden/jardin/m kitchen/cuisine/f school/école/f street/rue/f bridge/pont/m "
    "church/churches/église/églises/f "
    "station/gare/f shop/magasin/m room/chambre/f door/porte/f window/fenêtre/f river/rivière/f village/village/m "
    "hotel/hôtel/m"
)
PEOPLE = _nouns(
    "man/men/homme/hommes/m woman/women/femme/femmes/f boy/garçon/m girl/fille/f teacher/professeur/m doctor/médecin/m "
    "child/children/enfant/enfants/m friend/ami/m brother/frère/m sister/sœur/f king/roi/m queen/reine/f"
)
ADJECTIVES = _adjectives(
    "big/grand/grande small/petit/petite beautiful/beau/belle/bel/beaux old/vieux/vieille/vieil/vieux "
    "new/nouveau/nouvelle/nouvel/nouveaux good/bon/bonne young/jeune/jeune pretty/joli/jolie",
    before=True,
) + _adjectives(
    "red/rouge/rouge blue/bleu/bleue green/vert/verte white/blanc/blanche black/noir/noire yellow/jaune/jaune "
    "heavy/lourd/lourde expensive/cher/chère clean/propre/propre "
    "wonderful/merveilleux/merveilleuse/merveilleux/merveilleux "
    "empty/vide/vide quiet/tranquille/tranquille strong/fort/forte strange/étrange/étrange",
    before=False,
)
VERBS = _verbs(
    "see/sees/vois/voyez/voit/voyons/voient have/has/ai/avez/a/avons/ont like/likes/aime/aimez/aime/aimons/aiment "
    "want/wants/veux/voulez/veut/voulons/veulent buy/buys/achète/achetez/achète/achetons/achètent "
    "look_for/looks_for/cherche/cherchez/cherche/cherchons/cherchent "
    "draw/draws/dessine/dessinez/dessine/dessinons/dessinent "
    "sell/sells/vends/vendez/vend/vendons/vendent find/finds/trouve/trouvez/trouve/trouvons/trouvent "
    "take/takes/prends/prenez/prend/prenons/prennent"
)
PRONOUNS = (("I", "Je"), ("You", "Vous"), ("He", "Il"), ("She", "Elle"), ("We", "Nous"), ("They", "Ils"))
PREPOSITIONS = (("in", "dans"), ("on", "sur"), ("under", "sous"), ("behind", "derrière"), ("in front of", "devant"))
ADVERBS = (("today", "aujourd'hui"), ("now", "maintenant"), ("every day", "chaque jour"), ("here", "ici"))
NUMBERS = (("two", "deux"), ("three", "trois"), ("four", "quatre"), ("five", "cinq"), ("six", "six"))

PHRASE_BOOK = {
    "Hello, how are you?": "Bonjour, comment êtes-vous ?",
    "Good morning.": "Bonjour.",
    "Good evening.": "Bonsoir.",
    "Good night.": "Bonne nuit.",
    "Thank you very much.": "Merci beaucoup.",
    "You are welcome.": "De rien.",
    "Excuse me.": "Excusez-moi.",
    "What is your name?": "Comment vous appelez-vous ?",
    "My name is Anna.": "Je m'appelle Anna.",
    "How much does it cost?": "Combien ça coûte ?",
    "I do not understand.": "Je ne comprends pas.",
    "See you tomorrow.": "À demain.",
    "What time is it?": "Quelle heure est-il ?",
    "Have a nice day!": "Bonne journée !",
    "I would like a coffee, please.": "Je voudrais un café, s'il vous plaît.",
    "The house is wonderful.": "La maison est merveilleuse.",
    "Happy birthday!": "Bon anniversaire !",
    "Do you speak English?": "Parlez-vous anglais ?",
}
# Parts of those lines, and their neighbours, that people try first.
SHORT_PHRASES = {
    "Hello.": "Bonjour.",
    "Hello!": "Bonjour !",
    "How are you?": "Comment êtes-vous ?",
    "Thank you.": "Merci.",
    "Goodbye.": "Au revoir.",
    "Yes.": "Oui.",
    "No.": "Non.",
    "I am tired.": "Je suis fatigué.",
    "I love you.": "Je t'aime.",
}
