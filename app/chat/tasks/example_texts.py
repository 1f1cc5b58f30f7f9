"""Example texts for bundles that compare, classify or rank texts, in the window's language."""

from __future__ import annotations

from PySide6.QtCore import QObject


def sentences(owner: QObject) -> list[str]:
    """Sentences of which two say the same, two are near, and one has nothing to do with the others."""
    return [
        owner.tr("The train to the coast leaves at nine."),
        owner.tr("At nine o'clock a train departs for the seaside."),
        owner.tr("The bus to the airport is late again."),
        owner.tr("She planted tomatoes behind the house."),
    ]


def opinions(owner: QObject) -> list[str]:
    """Sentences with a mood."""
    return [
        owner.tr("The screen is bright and the battery lasts two days."),
        owner.tr("It broke after a week, and nobody answers the phone."),
        owner.tr("The parcel arrived on Tuesday."),
    ]


def sentences_with_names(owner: QObject) -> list[str]:
    """Sentences with people, places and organizations."""
    return [
        owner.tr("Marie Curie moved from Warsaw to Paris."),
        owner.tr("Last year Siemens opened an office in Nairobi."),
    ]


def question(owner: QObject) -> tuple[str, list[str]]:
    """A question, and texts of which one answers it."""
    return owner.tr("How long do eggs keep?"), [
        owner.tr("Raw eggs last about four weeks in the refrigerator."),
        owner.tr("A hen lays up to 300 eggs a year."),
        owner.tr("Boil the potatoes for twenty minutes."),
        owner.tr("Opened milk should be used within three days."),
    ]
