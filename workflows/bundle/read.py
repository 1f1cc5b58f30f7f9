"""Opens a bundle with cheap checks (names, sizes); `verify` reads every byte.

pipeline.json is a program that a person may edit: what it states when it is opened applies.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workflows.bundle.contexts import ContextFolder, read_contexts
from workflows.bundle.genai.metadata import CONFIG, folder_digest, is_genai
from workflows.bundle.manifest import MANIFEST, is_linked, read_manifest
from workflows.bundle.outline import Fault
from workflows.bundle.schema import Pipeline, parse_pipeline
from workflows.common.errors import BundleError
from workflows.common.strict_json import InvalidJsonError, read_json
from workflows.wire.codec import PayloadMismatch, read
from workflows.wire.reports.cost import COST_FILE, QuantizationCost

PIPELINE = "pipeline.json"
_LONGEST = 1 << 20  # bytes of a pipeline file; ten sessions need a few thousand


@dataclass(frozen=True)
class Bundle:
    """A composite whose files all exist.

    files: name in the bundle → path, wherever it is. digest: identifies the model. where: the file with the program,
    for messages. built: whether it was built or imported; False for a foreign folder that is read in place. compiled:
    contexts that replace those in its folder.
    """

    folder: Path
    pipeline: Pipeline
    files: Mapping[str, Path]
    digest: str
    where: str
    built: bool = True
    compiled: Sequence[ContextFolder] | None = None

    def contexts(self) -> Sequence[ContextFolder]:
        """The compiled contexts of its graphs. Raises BundleError for an incomplete one in its folder."""
        return read_contexts(self.folder) if self.compiled is None else self.compiled

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the digest: another file refers to this bundle by it."""
        return hashlib.sha256(self.digest.encode()).hexdigest()

    @property
    def bytes(self) -> int:
        return sum(path.stat().st_size for path in self.files.values())

    def file(self, name: str) -> Path:
        """The path of a file. Raises BundleError where the bundle has no such file."""
        if name not in self.files:
            raise BundleError(f"{self.folder} has no {name} in its manifest: build the bundle anew.")
        return self.files[name]

    def text(self, name: str) -> str | None:
        """The text of a file, None where the bundle has no such file. Raises BundleError where it is not text."""
        if name not in self.files:
            return None
        try:
            return self.file(name).read_text("utf-8")
        except UnicodeDecodeError:
            raise BundleError(f"{name} in {self.folder} is not UTF-8 text: build the bundle anew.") from None

    def json_object(self, name: str) -> dict[str, Any] | None:
        """A file of settings, None where the bundle has no such file. Raises BundleError unless it is a JSON object."""
        if (text := self.text(name)) is None:
            return None
        try:
            values = read_json(text or "{}")
        except InvalidJsonError as error:
            raise BundleError(f"{name} of {self.folder} {error}: build the bundle again.") from None
        if not isinstance(values, dict):
            raise BundleError(f"{name} of {self.folder} is not a JSON object: build the bundle again.")
        return values


def read_cost(bundle: Bundle) -> QuantizationCost | None:
    """What quantizing the bundle cost, None where nothing states it. Raises BundleError for a malformed file."""
    if (values := bundle.json_object(COST_FILE)) is None:
        return None
    try:
        return read(QuantizationCost, values)
    except PayloadMismatch as error:
        raise BundleError(f"{COST_FILE} of {bundle.folder} {error}: build the bundle again.") from None


def read_bundle(folder: str | Path) -> Bundle:
    """Reads the bundle in `folder`, or the composite in a folder of onnxruntime-genai.

    Raises BundleError, naming the file, where one is missing, truncated or malformed.
    """
    root = Path(folder)
    if not root.is_dir():
        raise BundleError(f"There is no bundle folder {root}: check the path, or build one with `joinery build`.")
    if is_genai(root) and not (root / MANIFEST).is_file():
        from workflows.bundle.genai.folder import read_genai  # imported late: few folders are genai's

        pipeline, files = read_genai(root)
        return Bundle(root, pipeline, files, folder_digest(files), str(root / CONFIG), built=False)
    manifest = read_manifest(root)
    for name, entry in manifest.files.items():
        path = root / name
        if is_linked(root, name) or not path.is_file():
            raise BundleError(f"{root} lacks {name}: restore the file or build the bundle anew.")
        if name != PIPELINE and path.stat().st_size != entry.bytes:
            raise BundleError(
                f"{name} in {root} has {path.stat().st_size:,} bytes instead of {entry.bytes:,}: "
                "restore the file or build the bundle anew."
            )
    if PIPELINE not in manifest.files:
        raise BundleError(f"{root} has no {PIPELINE} in its manifest: build the bundle anew.")
    pipeline = _read_pipeline(root / PIPELINE)
    for name, session in pipeline.pipeline.sessions.items():
        if session.file not in manifest.files:
            fault = Fault(f"pipeline.sessions.{name}.file", f"the bundle's manifest lists no file {session.file}")
            raise fault.error(str(root / PIPELINE))
    own = {name: entry.sha256 for name, entry in manifest.files.items() if name.endswith((".onnx", ".data"))}
    files = {name: root / name for name in manifest.files}
    return Bundle(root, pipeline, files, ",".join(own[name] for name in sorted(own)), str(root / PIPELINE))


def unverified_bundle(folder: Path, pipeline: Pipeline, location: str) -> Bundle:
    """Files without a manifest as a bundle: a build in progress. location: their name in messages."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return Bundle(folder, pipeline, files, str(folder), location)


def read_summary(folder: str | Path) -> dict[str, Any]:
    """The facts that a list of bundles shows, without reading a graph. Raises BundleError like read_bundle."""
    bundle = read_bundle(folder)
    facts, chosen = bundle.pipeline.metadata, bundle.pipeline.generation
    return {
        "path": str(bundle.folder),
        "name": facts.name or bundle.folder.name,
        "model_type": facts.model_type,
        "architecture": facts.architecture,
        "task": facts.task,
        "family": facts.family,
        "precision": facts.precision,
        "layout": facts.layout,
        "capacity": bundle.pipeline.capacity,
        "vocabulary": facts.vocabulary,
        "chunk": bundle.pipeline.chunk,
        "components": list(bundle.pipeline.pipeline.sessions),
        "bytes": bundle.bytes,
        "built_at": facts.built_at,
        "in_place": not bundle.built,
        "source": _source(bundle),
        "labels": len(facts.classification.labels) if facts.classification else None,
        "cost": read_cost(bundle),
        "adapters": [one.name for one in facts.adapters or ()],
        "chain": [op.model_dump(exclude_none=True) for op in (chosen and chosen.logits) or ()],
    }


def _source(bundle: Bundle) -> str:
    """The demo or hub id that a bundle was built of; empty for a folder, whose path a bundle does not hold."""
    try:
        source = str(json.loads(bundle.text("recipe.json") or "{}").get("source", ""))
    except (ValueError, AttributeError):
        return ""
    return source if source.startswith("demo:") or "/" in source else ""


def _read_pipeline(path: Path) -> Pipeline:
    if path.stat().st_size > _LONGEST:
        raise BundleError(f"{path} has more than {_LONGEST:,} bytes, which no pipeline needs: restore the file.")
    try:
        data = read_json(path.read_bytes())
    except InvalidJsonError as error:
        raise BundleError(f"{path} {error}: build the bundle anew.") from None
    return parse_pipeline(data, str(path))
