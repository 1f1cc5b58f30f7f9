"""The SVG writer: what it leaves out, what it escapes, and that its documents are well formed."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from workflows.common import svg


@pytest.mark.parametrize(("pixels", "written"), [(3.0, "3"), (0.25, "0.2"), (-1.26, "-1.3"), (12, "12")])
def test_number_has_at_most_one_decimal_place(pixels: float, written: str) -> None:
    assert svg.number(pixels) == written


def test_element_writes_attribute_names_as_svg_has_them() -> None:
    assert svg.element("rect", x=1.0, stroke_width="1.5", class_="a", rx=None, fill="") == (
        '<rect x="1" stroke-width="1.5" class="a"/>'
    )
    assert svg.element("g", svg.element("path", d="M 0 0"), fill="none") == '<g fill="none"><path d="M 0 0"/></g>'


def test_texts_and_attributes_are_escaped() -> None:
    assert svg.text("<b>&\x00", 1, 2) == '<text x="1" y="2">&lt;b&gt;&amp;�</text>'
    assert svg.element("text", fill='"><script>') == '<text fill="&quot;&gt;&lt;script&gt;"/>'
    assert svg.label("title", "abcdef", 3) == "<title>ab…</title>"


def test_document_is_well_formed() -> None:
    written = svg.document(100, 50.5, [svg.label("title", "a"), svg.element("rect", x=0)], role="img")
    root = ElementTree.fromstring(written)
    assert (root.attrib["viewBox"], root.attrib["role"]) == ("0 0 100 50.5", "img")
    assert [child.tag.rpartition("}")[2] for child in root] == ["title", "rect"]
