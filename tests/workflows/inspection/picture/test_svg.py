"""The SVG: well-formed, complete, harmless whatever the names are, and never written over somebody else's file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from tests.workflows.inspection.picture.making import composites, decoder, encoder_decoder, seams
from workflows.common.errors import RequestError
from workflows.inspection.picture.layout import lay_out
from workflows.inspection.picture.svg import FILE_MARK, svg_of, write_picture
from workflows.wire.reports.composite import ComponentSession, Composite

SVG = "{http://www.w3.org/2000/svg}"
HARMLESS = {"svg", "title", "desc", "style", "rect", "g", "path", "text"}
HOSTILE = "</text><script>alert(1)</script>&\"'<!--]]>\x00\x1b\ud800"


def parsed(composite: Composite) -> ElementTree.Element:
    return ElementTree.fromstring(svg_of(lay_out(composite)))


@pytest.mark.parametrize("composite", [decoder(4, 8), seams(), encoder_decoder()])
def test_every_name_is_in_it(composite: Composite) -> None:
    """Sessions, edges with shape and type, states, drivers and what comes out."""
    text = "\n".join(parsed(composite).itertext())
    names = [one.name for one in (*composite.sessions, *composite.states)]
    names += [edge.source[1] for edge in composite.edges] + [edge.tensor.form for edge in composite.edges]
    names += [tensor.name for feed in composite.feeds for tensor in feed.inputs]
    names += [tensor.name for one in composite.outputs for tensor in one.outputs]
    names += [*composite.runs, composite.name]
    for name in names:
        assert name in text


def test_it_reports_what_it_is() -> None:
    """To those who hear it: a title, and all of it in words."""
    root = parsed(seams())
    assert root.get("role") == "img" and root.get("aria-labelledby") == "joinery-title joinery-told"
    assert [root.findtext(f"{SVG}{tag}") for tag in ("title",)] == ["small"]
    assert "table → first: hidden [1, n, 8] float32" in (root.findtext(f"{SVG}desc") or "")


def test_names_are_no_markup() -> None:
    """Of sessions, files, tensors and the bundle."""
    plain = seams()
    sessions = (ComponentSession(HOSTILE, HOSTILE, HOSTILE, (HOSTILE,)), *plain.sessions)
    root = parsed(replace(plain, name=HOSTILE, sessions=sessions))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == HARMLESS
    assert any("</text><script>alert(1)</script>" in text for text in root.itertext())
    for element in root.iter():
        assert not any(name.startswith("on") or "href" in name for name in element.attrib)


@settings(max_examples=20, deadline=None)
@given(composites())
def test_any_composite_is_well_formed(composite: Composite) -> None:
    """Whatever letters its names have."""
    assert {element.tag.removeprefix(SVG) for element in parsed(composite).iter()} <= HARMLESS


def test_light_and_dark() -> None:
    """By itself it follows the reader's scheme; each can be had alone."""
    drawing = lay_out(decoder(4))
    auto, light, dark = (svg_of(drawing, theme) for theme in ("auto", "light", "dark"))
    assert "prefers-color-scheme: dark" in auto and "<style>" not in light + dark
    assert "#f5f6f8" in light and "#15181d" in dark and "#f5f6f8" not in dark


def test_written_whole_and_again(tmp_path: Path) -> None:
    """Over a picture of ours, and over nothing else."""
    path = tmp_path / "new" / "picture.svg"
    write_picture(path, lay_out(decoder(4)))
    write_picture(path, lay_out(seams()))
    assert path.read_text("utf-8") == svg_of(lay_out(seams()))
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "told"), [("own.svg", "exists, and Joinery did not write it"), ("picture.png", "does not end in .svg")]
)
def test_another_file_stays(tmp_path: Path, name: str, told: str) -> None:
    """One sentence, and the file is as it was."""
    path = tmp_path / name
    path.write_text("<svg>mine</svg>")
    with pytest.raises(RequestError, match=told):
        write_picture(path, lay_out(decoder(4)))
    assert path.read_text() == "<svg>mine</svg>"


def test_the_mark_is_not_a_name_of_a_stranger(tmp_path: Path) -> None:
    """A file that only speaks of the mark further down is not ours."""
    path = tmp_path / "own.svg"
    path.write_text("<svg>" + " " * 300 + FILE_MARK)
    with pytest.raises(RequestError, match="Joinery did not write it"):
        write_picture(path, lay_out(decoder(4)))
