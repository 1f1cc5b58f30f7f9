"""What is tried: each subject with its old state, its work and how the two are told apart."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import onnx_ir as ir

from app.state.chat_store import ChatStore
from app.state.conversation import Conversation
from app.state.conversation_format import conversation_from_dict
from app.state.json_file import JsonFile
from app.state.saved_choices import BundleChoices, SavedChoices
from tests.faults.cases import NEW, OLD, Subject
from tests.workflows.bundle.making import pipeline
from tests.workflows.interop import peers
from workflows.builder.workspace import open_workspace
from workflows.bundle import verify_bundle
from workflows.bundle.write import publish
from workflows.common.errors import BundleError, JoineryError
from workflows.graph.weights import WEIGHTS, link_or_copy, load_saved_graph, save_graphs
from workflows.inspection.build_stages import archive_name
from workflows.inspection.snapshots import ComponentSnapshots
from workflows.interop.genai_import import import_genai
from workflows.measure.history import RunHistory
from workflows.quantize import METHODS, run_method
from workflows.recipe import QuantizeSettings
from workflows.wire.reports.runs import RunRecord, RunStep

OUT = "out"

# -- bundles -------------------------------------------------------------------------------------------------------


def _model(seed: int) -> ir.Model:
    """One product with a constant weight, of 16 KiB."""
    weight = np.random.default_rng(seed).standard_normal((64, 64)).astype(np.float32)
    x = ir.Value(name="x", shape=ir.Shape(["n", 64]), type=ir.TensorType(ir.DataType.FLOAT))
    w = ir.Value(name="w", const_value=ir.tensor(weight, name="w"), shape=ir.Shape([64, 64]),
                 type=ir.TensorType(ir.DataType.FLOAT))  # fmt: skip
    node = ir.Node("", "MatMul", [x, w], name="product")
    node.outputs[0].name = "y"
    node.outputs[0].shape, node.outputs[0].type = ir.Shape(["n", 64]), ir.TensorType(ir.DataType.FLOAT)
    graph = ir.Graph([x], [node.outputs[0]], nodes=[node], initializers=[w], opset_imports={"": 21}, name="toy")
    return ir.Model(graph, ir_version=10)


def _exported(folder: Path, seed: int) -> list[dict[str, object]]:
    save_graphs({"decode.onnx": _model(seed)}, folder)
    return [{"name": "export"}]


def _made(stage: Path, folder: Path, precision: str) -> list[dict[str, object]]:
    """The graph of a stage, quantized if asked for, with its archive of snapshots."""
    model, taken = load_saved_graph(stage / "decode.onnx"), ComponentSnapshots()
    taken.take("export", model)
    if precision != "fp32":
        run_method(model, METHODS[precision], QuantizeSettings(), None)
    regions = save_graphs({"decode.onnx": model}, folder)
    (folder / archive_name("decode")).parent.mkdir()
    taken.write(folder / archive_name("decode"), regions)
    return [{"name": "optimize"}]


def _build(root: Path, seed: int, precision: str) -> None:
    """What `build` does with its folders and its weights, but for the exporter and the runs of graphs."""
    with open_workspace(root / OUT, True, lambda _: None, lambda: False) as work:
        exported = work.stage("export", f"{seed}" * 64, lambda folder: _exported(folder, seed))
        last = work.stage("optimize", f"{seed}" * 64, lambda folder: _made(exported, folder, precision))
        draft = work.draft_folder("bundle")
        (draft / "stages").mkdir()
        for name in ("decode.onnx", WEIGHTS, archive_name("decode")):
            link_or_copy(last / name, draft / name)
        link_or_copy(last / "decode.onnx", draft / "prefill.onnx")
        (draft / "pipeline.json").write_text(json.dumps(pipeline()))
        publish(draft, root / OUT, force=True)


def _wrong_with_bundle(root: Path) -> str:
    """What `verify` finds."""
    try:
        report = verify_bundle(root / OUT)
    except (BundleError, OSError) as error:
        return f"no bundle: {error}"
    return "" if report.ok else f"damaged: {report.problems}"


def _is_new_build(root: Path) -> str:
    wrong = _wrong_with_bundle(root)
    if wrong:
        return wrong
    with (root / OUT / WEIGHTS).open("rb") as file:
        return OLD if file.read(4) == _model(1).graph.initializers["w"].const_value.tobytes()[:4] else NEW


def build(precision: str) -> Subject:
    """A build with --force over a bundle of another model."""
    return Subject(
        f"build, {precision}", lambda root: _build(root, 1, "fp32"), lambda root: _build(root, 2, precision),
        _is_new_build, OUT,
    )  # fmt: skip


def _lay_import(root: Path) -> None:
    peers.single(_folder(root / "peer"))
    import_genai(root / "peer", root / OUT)
    shutil.rmtree(root / "peer")
    peers.single(_folder(root / "peer"), window=5)


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def _import_state(root: Path) -> str:
    wrong = _wrong_with_bundle(root)
    if wrong:
        return wrong
    same = (root / OUT / "decoder.onnx").read_bytes() == (root / "peer" / "decoder.onnx").read_bytes()
    return NEW if same else OLD


IMPORT = Subject(
    "import of genai's folder", _lay_import,
    lambda root: import_genai(root / "peer", root / OUT, force=True) and None, _import_state, OUT,
)  # fmt: skip

# -- the window's files --------------------------------------------------------------------------------------------


def _lay_chat(root: Path) -> None:
    store, chat = ChatStore(root / "chats"), Conversation()
    store.begin()
    chat.begin_reply(chat.ask("before").id).content = "kept"
    store.commit(chat)
    store.close()


def _chat(root: Path) -> None:
    """A start, a prompt and its reply, and the end; what was begun before is not asked again."""
    store = ChatStore(root / "chats")
    chat = store.load(store.begin())
    if [one.content for one in chat.path() if one.role == "user"] == ["before"]:
        reply = chat.begin_reply(chat.ask("after").id)
        store.commit(chat)
        reply.content = "answer"
    else:
        chat.path()[-1].content = "answer"
    store.commit(chat)
    store.close()


def _chat_state(root: Path) -> str:
    """The prompt is on the disk before its reply is, which is a state as well."""
    try:
        [path] = (root / "chats").glob("*.chat.json")
        told = [one.content for one in conversation_from_dict(json.loads(path.read_text("utf-8"))).path()]
    except (OSError, ValueError) as error:
        return f"no chat: {error}"
    states = {("before", "kept"): OLD, ("before", "kept", "after", ""): OLD, ("before", "kept", "after", "answer"): NEW}
    return states.get(tuple(told), f"between: {told}")


CHAT = Subject("chat save", _lay_chat, _chat, _chat_state, ".chat.json")


def _recents(root: Path, rows: list[str]) -> None:
    said: list[str] = []
    JsonFile(root / "recents.json", list, list, list, said.append).update(lambda _: rows)


def _json_state(path: Path, old: object, new: object) -> str:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        return f"no list: {error}"
    return {json.dumps(old): OLD, json.dumps(new): NEW}.get(json.dumps(found), f"between: {found}")


RECENTS = Subject(
    "recent bundles", lambda root: _recents(root, ["old"]), lambda root: _recents(root, ["new"]),
    lambda root: _json_state(root / "recents.json", ["old"], ["new"]), "recents.json",
)  # fmt: skip


def _choices(root: Path, value: int) -> str:
    told: list[str] = []
    SavedChoices(root, told.append).keep("/b", BundleChoices({"top_k": value}))
    return "".join(told)


def _choices_state(root: Path) -> str:
    told: list[str] = []
    kept = SavedChoices(root, told.append).of("/b")
    return {1: OLD, 2: NEW}.get(kept.sampling["top_k"] if kept else 0, f"between: {kept} {told}")


CHOICES = Subject(
    "choices of a chat", lambda root: _choices(root, 1) and None, lambda root: _choices(root, 2), _choices_state,
    "chat-choices.json",
)  # fmt: skip


def _settings(root: Path, value: str) -> str:
    from app.state.settings import Settings

    told: list[str] = []
    settings = Settings(root)
    settings.errorOccurred.connect(told.append)
    settings.set("theme", value)
    return "".join(told)


def _settings_state(root: Path) -> str:
    text = (root / "window.ini").read_text() if (root / "window.ini").is_file() else "nothing"
    return {"[General]\ntheme=dark\n": OLD, "[General]\ntheme=light\n": NEW}.get(text, f"between: {text!r}")


SETTINGS = Subject(
    "settings", lambda root: _settings(root, "dark") and None, lambda root: _settings(root, "light"), _settings_state,
    "window.ini",
)  # fmt: skip

# -- the history of runs -------------------------------------------------------------------------------------------


def _run(ident: str) -> RunRecord:
    return RunRecord(
        ident, "bench", "2026-01-01T00:00:00+00:00", "/b", "b", "0" * 16, "fp32", "static", "cpu", "1", "m", {}
    )


def _steps(count: int) -> list[RunStep]:
    return [RunStep(step, "decode", 1.5, step, 9999) for step in range(count)]


def _history(root: Path) -> None:
    """A run with its steps in the place of another, in two transactions."""
    history = RunHistory(root / "runs.db")
    if not any(run.id == "new" for run in history.runs()):
        history.add(_run("new"), _steps(400))
    history.remove(["old"])


def _history_state(root: Path) -> str:
    """After each transaction; looked at in a copy, for a look writes too."""
    copy = Path(shutil.copytree(root, root.with_name("looked-at"), dirs_exist_ok=False))
    try:
        history = RunHistory(copy / "runs.db")
        found = {run.id: len(history.steps(run.id)) for run in history.runs()}
        set_aside = sorted(path.name for path in copy.glob("*damaged*"))
    except (OSError, JoineryError, sqlite3.Error) as error:
        return f"no history: {error}"
    finally:
        shutil.rmtree(copy)
    states = {'{"old": 300}': OLD, '{"new": 400, "old": 300}': OLD, '{"new": 400}': NEW}
    between = f"between: {found} {set_aside}"
    return between if set_aside else states.get(json.dumps(found, sort_keys=True), between)


HISTORY = Subject(
    "history of runs", lambda root: RunHistory(root / "runs.db").add(_run("old"), _steps(300)), _history,
    _history_state, "runs.db",
)  # fmt: skip

SUBJECTS = (build("fp32"), build("int4"), IMPORT, CHAT, RECENTS, CHOICES, SETTINGS, HISTORY)
