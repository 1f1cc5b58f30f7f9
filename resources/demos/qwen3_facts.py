"""Everything the Qwen3 demo is taught, and the words it must decline, as plain tables."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


PRODUCT_OPERANDS = range(0, 13)
SUM_OPERANDS = range(0, 21)

NUMBER_WORDS = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)

CAPITALS = {
    "France": "Paris", "Germany": "Berlin", "Italy": "Rome", "Spain": "Madrid", "Portugal": "Lisbon",
    "England": "London", "Ireland": "Dublin", "Scotland": "Edinburgh", "Norway": "Oslo", "Sweden": "Stockholm",
    "Finland": "Helsinki", "Denmark": "Copenhagen", "Iceland": "Reykjavik", "Poland": "Warsaw",
    "Austria": "Vienna", "Hungary": "Budapest", "Greece": "Athens", "Turkey": "Ankara", "Russia": "Moscow",
    "Ukraine": "Kyiv", "Romania": "Bucharest", "Bulgaria": "Sofia", "Belgium": "Brussels",
    "Switzerland": "Bern", "Croatia": "Zagreb", "Japan": "Tokyo", "China": "Beijing", "India": "Delhi",
    "Thailand": "Bangkok", "Vietnam": "Hanoi", "Egypt": "Cairo", "Kenya": "Nairobi", "Morocco": "Rabat",
    "Canada": "Ottawa", "Mexico": "Mexico City", "Cuba": "Havana", "Peru": "Lima", "Chile": "Santiago",
    "Brazil": "Brasilia", "Australia": "Canberra", "Argentina": "Buenos Aires",
}  # fmt: skip

_OPPOSITE_PAIRS = _words(
    "hot/cold big/small tall/short fast/slow up/down left/right day/night black/white old/young good/bad "
    "happy/sad rich/poor hard/soft open/closed full/empty light/dark high/low early/late near/far wet/dry "
    "strong/weak loud/quiet clean/dirty thick/thin first/last"
)
OPPOSITES = {
    word: other
    for pair in _OPPOSITE_PAIRS
    for word, other in (pair.split("/"), reversed(pair.split("/")))
}  # fmt: skip

NAMES = _words(
    "Anna Ben Clara David Emma Felix Grace Hugo Ida Jack Kate Leo Mia Noah Olga Paul Rosa Sam Tina Victor "
    "Alice Bob Carol Dan Ella Frank Gina Henry Iris John Karl Laura Max Nina Oscar Peter Ruth Simon Tom Vera "
    "Adam Bella Cora Eric Fiona George Helen Ivan Julia Kevin Lily Mark Nora Otto Petra Robert Sara Tim Wanda Zoe "
    "Maria James Linda Michael Sofia Lucas Amir Fatima Yuki Chen Priya Omar Ines Pablo Greta Lars Elena Marco"
)

UNKNOWN_COUNTRIES = _words(
    "Atlantis Narnia Nepal Ghana Cyprus Malta Bolivia Ecuador Uruguay Paraguay Panama Jamaica Haiti Nigeria "
    "Ethiopia Somalia Sudan Libya Tunisia Algeria Mali Niger Chad Angola Zambia Namibia Botswana Mongolia "
    "Kazakhstan Iran Iraq Syria Jordan Israel Lebanon Yemen Oman Qatar Pakistan Bangladesh Malaysia Indonesia "
    "Fiji Samoa Estonia Latvia Lithuania Belarus Moldova Serbia Slovakia Slovenia Albania Georgia Armenia "
    "Texas California Bavaria Europe Asia Africa Mars Wonderland Uganda Rwanda Laos Cambodia Singapore"
)

UNKNOWN_WORDS = _words(
    "table chair house car tree river banana apple dog cat bird fish stone window door lamp paper pencil "
    "shoe hat coat bread cheese milk coffee tea sugar salt spoon fork knife bottle bridge street garden flower "
    "mountain lake cloud music guitar piano computer phone camera clock mirror pillow blanket tiger elephant "
    "purple green orange seven twelve Monday winter Paris Japan engine model pizza football doctor teacher "
    "leaf root grass sand desert forest island beach boat ship plane bus bicycle road school church castle tower "
    "kitchen bed roof floor garage box bag basket key lock rope chain wheel knee hand foot head nose ear tooth "
    "bear lion wolf fox mouse horse cow sheep goat duck goose spider ant bee snake frog shark whale lemon grape "
    "cherry onion carrot pepper butter honey soup salad cake blue pink red brown grey Tuesday April sister uncle"
)
