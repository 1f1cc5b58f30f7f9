"""A worker that follows a script: it speaks the engine's protocol and loads nothing.

    python tests/fakes/worker.py '{"fail_stage": "export", "delay": 0.01}'

A scenario's fields, all optional:
    delay            seconds between two events (0)
    rate             tokens a second of generate, kept on the average (as fast as they go)
    garbage          true: lines that are no events, and one line in two halves, come before each answer
    crash_on         job that ends the process with SIGKILL (a list of jobs works as well)
    crash_after      events that job sends first (0)
    hang_on          job that never ends and ignores cancel (terminate ends it; with "stubborn" only kill does)
    fail_stage       build stage that fails, with `fail_times` (1) counted over processes in `state`
    state            a file where counts are kept between processes
    errors           {job: {"kind", "message", "details", "data"}}: the job fails so
    probe            fields that replace those of the probe's result
    remote_code      {file: sha256}: the probe asks for consent
    devices          the devices to report
    reply            the text that generate streams, word by word ("56")
    replies          {name of a bundle's folder: text}: other replies of these, with an id a word
    base             true: the bundle has no chat template, and completes text
    asked            a file to which generate writes each of its requests, a JSON object a line
    tokens           how many tokens generate streams, repeating the reply (its words)
    finish_reason    of generate ("eos")
    chunks           prefill chunks of generate (1)
    notice           {"code", "message"}: a notice amid the tokens
    inspection       the value of an inspect result
    graph            a file with the value of a graph result (a decoder of two layers in three stages)
    layers           how many layers that decoder has (2)
    graphs           {stage or path: file}: graphs of stages or paths of their own
    diff             a file with the value of a diff result
    tensor           fields that replace those of a tensor's result
    netron           the file of a netron result
    eval             fields that replace those of an eval's report
    lowest           the shortest length above 0 that a rewind can go back to (1)
    layouts          the cache layouts of a recipe (all but gqa can be had)
    encoder          the longest source of a recipe's encoder (it has none)
    cross            tokens of a source that an encoder has read: the cache gets a group of these
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.fakes import accuracy, graphs

LAYOUTS = [
    {"name": "static", "available": True, "note": ""},
    {"name": "window", "available": True, "note": ""},
    {"name": "gqa", "available": False, "note": "it takes no position bias"},
    {"name": "scatter", "available": True, "note": ""},
]

STAGES = [
    ("checkpoint", ""),
    ("export", "prefill"),
    ("export", "decode"),
    ("optimize", ""),
    ("quantize", ""),
    ("bundle", ""),
]


def program(**scenario: Any) -> list[str]:
    """The command line of a fake worker that follows `scenario`."""
    return [sys.executable, str(Path(__file__).resolve()), json.dumps(scenario)]


class CancelledError(Exception):
    """The window said stop."""


class Fake:
    """Answers jobs one after another; a cancel is taken at once by the reading thread."""

    def __init__(self, scenario: dict[str, Any]) -> None:
        self.scenario = scenario
        self.requests: queue.Queue[dict[str, Any]] = queue.Queue()
        self.cancelled: set[int] = set()
        self.job: dict[str, Any] = {}
        self.sent = 0
        self.used = 0
        self.capacity = 4096
        self.layout = "static"
        self.bundle = ""

    def read(self) -> None:
        """The reading thread: requests to the queue, cancels to the set, the end of stdin ends everything."""
        for line in sys.stdin:
            request = json.loads(line)
            if request["job"] == "cancel":
                self.cancelled.add(request["target"])
            else:
                self.requests.put(request)
        os._exit(0)

    def serve(self) -> None:
        """The main thread: one job after another."""
        threading.Thread(target=self.read, daemon=True).start()
        while True:
            self.job = self.requests.get()
            self.sent = 0
            self.answer()

    def answer(self) -> None:
        """One job, by its name."""
        name = self.job["job"]
        if self.scenario.get("garbage"):
            self.garble()
        if name == self.scenario.get("hang_on"):
            self.hang()
        self.maybe_crash()
        failure = self.scenario.get("errors", {}).get(name)
        if failure:
            self.send("error", **{"details": "", "data": {}, **failure})
            return
        try:
            getattr(self, f"do_{name}")()
        except CancelledError:
            self.send("error", kind="cancelled", message="Stopped.", details="", data={})

    def garble(self) -> None:
        """What native libraries write to stdout, and a line that arrives in two halves."""
        sys.stdout.write('not json\n[1, 2]\n{"event": "nonsense", "job": 1}\n')
        half = json.dumps({"event": "log", "job": self.job["id"], "message": "in two halves", "level": "info"})
        sys.stdout.write(half[:20])
        sys.stdout.flush()
        time.sleep(0.05)
        sys.stdout.write(half[20:] + "\n")
        sys.stdout.flush()
        print("a line for the log", file=sys.stderr, flush=True)

    def hang(self) -> None:
        """Never answers."""
        if self.scenario.get("stubborn"):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print("hanging", file=sys.stderr, flush=True)
        while True:
            time.sleep(60)

    def maybe_crash(self) -> None:
        """Dies where the scenario wants it."""
        crash = self.scenario.get("crash_on", [])
        names = [crash] if isinstance(crash, str) else crash
        if self.job["job"] in names and self.sent >= self.scenario.get("crash_after", 0) and self.count("crash") <= 1:
            print("fatal: the scenario says so", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)

    def count(self, name: str) -> int:
        """How often `name` was counted, this time included; kept in the `state` file."""
        if "state" not in self.scenario:
            return 1
        path = Path(self.scenario["state"])
        counts = json.loads(path.read_text()) if path.exists() else {}
        counts[name] = counts.get(name, 0) + 1
        path.write_text(json.dumps(counts))
        return int(counts[name])

    def send(self, event: str, **fields: Any) -> None:
        """One line out."""
        sys.stdout.write(json.dumps({"event": event, "job": self.job["id"], **fields}, ensure_ascii=False) + "\n")
        sys.stdout.flush()
        self.sent += 1
        if self.scenario.get("crash_after"):
            self.maybe_crash()

    def pause(self, seconds: float | None = None) -> None:
        """The delay between events; raises CancelledError once the job was cancelled."""
        end = time.monotonic() + (self.scenario.get("delay", 0) if seconds is None else seconds)
        while True:
            if self.job["id"] in self.cancelled:
                raise CancelledError
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(0.01, left))

    # -- jobs -------------------------------------------------------------------------------------------

    def do_probe(self) -> None:
        """Progress for a hub id, then what was found."""
        source = self.job["source"]
        kind = "demo" if source.startswith("demo:") else "folder" if Path(source).is_absolute() else "hub"
        if kind == "hub":
            for i in range(4):
                self.send(
                    "progress", stage="checkpoint", message="model.safetensors", done=i * 3e6, total=9e6, unit="B"
                )
                self.pause()
        self.send("result", value=self.found(source, kind))

    def found(self, source: str, kind: str) -> dict[str, Any]:
        """The value of a probe."""
        remote = self.scenario.get("remote_code", {})
        refused = bool(remote) and not self.job.get("trust_remote_code")
        value = {
            "source": source,
            "path": source,
            "kind": kind,
            "model_type": "qwen3",
            "architectures": ["Qwen3ForCausalLM"],
            "family": "qwen3",
            "tasks": ["text-generation"],
            "parameters": 901_248,
            "dtype": "float16",
            "weights_bytes": 1_802_496,
            "layers": 4,
            "hidden_size": 128,
            "vocabulary": 512,
            "max_positions": 40_960,
            "kv_bytes_per_token": 2048,
            "tokenizer": {"kind": "BPE", "vocabulary": 512, "chat_template": True},
            "remote_code": remote,
            "supported": not refused,
            "reason": "It would run its own Python code, and has no consent for it." if refused else "",
        }
        return {**value, **self.scenario.get("probe", {})}

    def source_length(self, options: dict[str, Any]) -> int | None:
        """That of an encoder, where the scenario has one and its graphs are fixed."""
        apart = options.get("graphs", "prefill-decode") == "prefill-decode"
        return options.get("source_length", 512) if self.scenario.get("encoder") and apart else None

    def do_recipe(self) -> None:
        """The recipe for the options, with what it costs."""
        options = self.job.get("options", {})
        most = self.scenario.get("encoder", 0)
        if options.get("source_length", 0) > most:
            message = (
                f"A source_length of {options['source_length']:,} is beyond the {most:,} positions of the encoder."
            )
            self.send("error", kind="recipe", message=message, details="", data={})
            return
        recipe = {
            "version": 1,
            "source": self.job["source"],
            "model_type": "qwen3",
            "family": "qwen3",
            "task": "text-generation",
            "target": options.get("target", "cpu"),
            "variant": options.get("variant", "plain"),
            "graphs": options.get("graphs", "prefill-decode"),
            "cache": options.get("cache", "static"),
            "capacity": options.get("capacity", 4096),
            "chunk": options.get("chunk", 64),
            "source_length": self.source_length(options),
            "precision": options.get("precision", "fp32"),
            "passes": {"fold-constants": True, "deduplicate": True, **options.get("passes", {})},
            "opset": 23,
        }
        self.send(
            "result",
            value={
                "recipe": recipe,
                "estimate": {
                    "seconds": 24.0,
                    "memory_bytes": 1_400_000_000,
                    "disk_bytes": 9_000_000,
                    "kv_bytes": recipe["capacity"] * 2048,
                    "free_memory_bytes": 9_000_000_000,
                    "free_disk_bytes": 90_000_000_000,
                },
                **self.drawing(recipe["graphs"]),
                "layouts": self.scenario.get("layouts", LAYOUTS),
                "variants": [
                    {"name": "plain", "available": True, "note": ""},
                    {"name": "transformer-only", "available": True, "note": ""},
                ],
                "stages": self.stages(),
            },
        )

    def drawing(self, graphs: str) -> dict[str, Any]:
        """Components and edges."""
        single = [
            {"name": "decoder", "role": "decoder", "inputs": ["input_ids", "past"], "outputs": ["logits", "present"]}
        ]
        pair = [{**single[0], "name": "prefill"}, {**single[0], "name": "decode"}]
        if graphs == "single":
            return {
                "components": single,
                "edges": [{"from": "decoder.present", "to": "decoder.past", "kind": "cache"}],
            }
        return {
            "components": pair,
            "edges": [
                {"from": "prefill.present", "to": "prefill.past", "kind": "cache"},
                {"from": "prefill.present", "to": "decode.past", "kind": "cache"},
                {"from": "decode.present", "to": "decode.past", "kind": "cache"},
            ],
        }

    def stages(self) -> list[dict[str, Any]]:
        """What each stage offers."""
        later = "Arrives with a later version."

        def choice(name: str, title: str, note: str, available: bool = True, default: bool = True) -> dict[str, Any]:
            return {
                "name": name,
                "title": title,
                "available": available,
                "note": note,
                "default": default and available,
            }

        passes = [
            choice("fold-constants", "Fold constants", "Computes what does not depend on an input."),
            choice("deduplicate", "Share equal weights", "Stores equal initializers once."),
            choice("fuse-attention", "Fuse attention", later, available=False),
        ]
        def method(name: str, title: str, note: str, megabytes: int, providers: str, trap: str = "") -> dict[str, Any]:
            words = {"bytes": megabytes << 20, "providers": providers, "trap": trap, "calibrated": bool(trap)}
            return {**choice(name, title, note, default=name == "fp32"), **words}

        slow = "w8a16 is about 13 × slower than fp32 on the CPU provider: it is for NPUs."
        methods = [
            method("fp32", "Keep fp32", "Every weight as it is.", 32, "Runs on every provider."),
            method("int4", "4-bit weights", "The smallest and fastest.", 8, "CPU about 4 × as fast as fp32."),
            method("w8a16", "8-bit weights, 16-bit activations", "For NPUs.", 12, "For NPUs.", slow),
        ]
        rows = [
            ("checkpoint", "Read the checkpoint", []),
            ("export", "Export the graphs", []),
            ("optimize", "Optimize", passes),
            ("quantize", "Quantize", methods),
            ("bundle", "Write the bundle", []),
        ]
        return [{"name": n, "title": t, "available": True, "note": "", "choices": c} for n, t, c in rows]

    def do_eval(self) -> None:
        """A comparison of twelve prompts."""
        self.send("log", message="demo:qwen3 is no bundle: an fp32 one is built of it.", level="info")
        for done in range(13):
            self.send("progress", stage="eval", message=f"prompt {done + 1} of 12", done=done, total=12, unit="prompts")
            self.pause()
        more = {"suggestions": accuracy.suggestions()} if self.job["options"].get("suggest") else {}
        self.send("result", value={**accuracy.report(), **more, **self.scenario.get("eval", {})})

    def do_build(self) -> None:
        """Every stage, one of which may fail; a stage that was done before is reused."""
        out = Path(self.job["out"])
        failed = False
        for stage, component in STAGES:
            if stage == self.scenario.get("fail_stage") and self.count("fail") <= self.scenario.get("fail_times", 1):
                failed = True
            if not self.run_stage(stage, component, failed):
                self.send(
                    "error",
                    kind="graph",
                    message=f"Stage {stage} failed: an operator is missing.",
                    details="Traceback …",
                    data={},
                )
                return
        out.mkdir(parents=True, exist_ok=True)
        (out / "pipeline.json").write_text("{}")
        self.send("done", bundle=str(out), seconds=3.2, bytes=9_000_000, components=["prefill", "decode"])

    def run_stage(self, stage: str, component: str, failed: bool) -> bool:
        """The events of one stage."""
        times = {"stage": stage, "component": component}
        if stage == "quantize":
            self.send("stage", state="skipped", note="Full precision was asked for.", **times)
            return True
        self.send("stage", state="started", **times)
        for i in range(4):
            self.pause()
            self.send("progress", stage=stage, message=f"step {i + 1}", done=i + 1, total=4, unit="steps")
            self.send("log", message=" ".join(filter(None, (stage, component, f"step {i + 1}"))), level="info")
        if failed:
            self.send("stage", state="failed", note="An operator is missing.", **times)
            return False
        state = "reused" if "state" in self.scenario and self.count(f"{stage}.{component}") > 1 else "done"
        self.send("stage", state=state, seconds=0.4, peak_mib=512.0, **times)
        return True

    def do_inspect(self) -> None:
        """Whatever the scenario holds."""
        self.send("result", value={"path": self.job["path"], **self.scenario.get("inspection", {"components": []})})

    def do_graph(self) -> None:
        """A decoder, or what the scenario holds."""
        self.pause()
        own = self.scenario.get("graphs", {})
        file = own.get(self.job["stage"]) or own.get(self.job["path"]) or self.scenario.get("graph")
        value = json.loads(Path(file).read_text()) if file else graphs.small(self.scenario.get("layers", 2))
        value.update(path=self.job["path"], component=self.job["component"])
        value["stage"] = self.job["stage"] or value["stage"]
        self.send("result", value=value)

    def do_diff(self) -> None:
        """What a fusion of the norms would change."""
        self.pause()
        file = self.scenario.get("diff")
        value = (
            json.loads(Path(file).read_text()) if file else graphs.diff_of(graphs.small(self.scenario.get("layers", 2)))
        )
        value["graph"].update({k: self.job["after"][k] for k in ("path", "component", "stage")})
        self.send("result", value=value)

    def do_tensor(self) -> None:
        """A bell of values."""
        counts = [round(400 * 2.7 ** -(((i - 32) / 11) ** 2)) for i in range(64)]
        value = {
            "name": self.job["name"],
            "dtype": "float32",
            "shape": [128, 128],
            "bytes": 65536,
            "count": 16384,
            "min": -0.0812,
            "max": 0.0793,
            "mean": 0.00012,
            "std": 0.0201,
            "zeros": 3,
            "nan": 0,
            "inf": 0,
            "histogram": {"low": -0.0812, "high": 0.0793, "counts": counts},
            "head": [0.0123, -0.0045, 0.0311, 0.0007],
        }
        self.send("result", value={**value, **self.scenario.get("tensor", {})})

    def do_netron(self) -> None:
        """The file that the scenario names, or the refusal of a graph that is too large."""
        file = self.scenario.get("netron")
        if file:
            self.send("result", value={"file": file, "nodes": 3})
            return
        message = f"{self.job['component'] or 'The graph'} has 1,234 nodes; Netron draws up to 500: choose a scope."
        self.send("error", kind="request", message=message, details="", data={})

    def do_verify(self) -> None:
        """All is well."""
        self.send("result", value={"ok": True, "files": 4, "bytes": 9_000_000, "problems": []})

    def do_devices(self) -> None:
        """This machine's CPU, and a GPU that cannot be used."""
        self.pause()
        cpu = {
            "name": "cpu",
            "title": "CPU",
            "provider": "CPUExecutionProvider",
            "vendor": "GenuineIntel",
            "kind": "CPU",
            "memory_bytes": 16 << 30,
            "usable": True,
            "reason": "",
            "remedy": "",
        }
        gpu = {
            **cpu,
            "name": "dml",
            "title": "DirectML GPU",
            "provider": "DmlExecutionProvider",
            "vendor": "",
            "kind": "GPU",
            "memory_bytes": None,
            "usable": False,
            "reason": "DirectML needs Windows 10 or later.",
            "remedy": "Use the CPU provider on this machine.",
        }
        self.send("result", value={"devices": self.scenario.get("devices", [cpu, gpu])})

    def do_open(self) -> None:
        """Ready."""
        self.pause()
        self.bundle, self.used = self.job["bundle"], 0
        self.layout = self.job.get("cache") or "static"
        self.capacity = self.job.get("capacity") or 4096
        self.send(
            "ready",
            bundle=self.bundle,
            model_type="qwen3",
            route="prefill-decode",
            provider=self.job.get("provider", "cpu"),
            layout=self.layout,
            capacity=self.capacity,
            chunk=64,
            vocabulary=512,
            chat_template=not self.scenario.get("base"),
            load_seconds=0.1,
            completes=bool(self.scenario.get("base")),
            languages=self.scenario.get("languages", {}).get(Path(self.bundle).name, []),
        )

    def do_close(self) -> None:
        """Closed."""
        self.bundle = ""
        self.send("result", value={})

    def do_generate(self) -> None:
        """Chunks, tokens, the cache, done."""
        if "asked" in self.scenario:
            with Path(self.scenario["asked"]).open("a", encoding="utf-8") as file:
                file.write(json.dumps(self.job) + "\n")
        reply = self.scenario.get("replies", {}).get(Path(self.bundle).name, self.scenario.get("reply", "56"))
        words = [w + " " for w in reply.split()]
        total = self.scenario.get("tokens", len(words))
        text, reason = [], self.scenario.get("finish_reason", "eos")
        chunks = self.scenario.get("chunks", 1)
        try:
            for i in range(chunks):
                self.chunk(i, chunks * 64)
            began = time.monotonic()
            for step in range(total):
                self.pause(self.until_due(began, step))
                text.append(self.token(step, words[step % len(words)]))
        except CancelledError:
            reason = "cancelled"
        cache = self.cache()
        self.send("cache", groups=cache)
        self.send(
            "done",
            prompt_ids=list(range(12)),
            token_ids=list(range(len(text))),
            text="".join(text).rstrip(),
            finish_reason=reason,
            ttft_ms=21.5,
            decode_tokens_per_s=212.4,
            prefill_tokens_per_s=2980.0,
            provider="cpu",
            cache={"groups": cache, "used": self.used, "capacity": self.capacity},
        )

    def do_rewind(self) -> None:
        """Back to a legal length, or the error that names those."""
        length, lowest = self.job["length"], self.scenario.get("lowest", 1)
        self.pause()
        if length != 0 and not lowest <= length <= self.used:
            message = f"The cache cannot go back to {length} tokens: it can go to 0 and {lowest} to {self.used}."
            self.send("error", kind="rewind", message=message, details="", data={})
            return
        self.used = length
        self.send("cache", groups=self.cache())
        self.send("result", value={})

    def do_save_cache(self) -> None:
        """A file that says how long the cache was."""
        self.pause()
        Path(self.job["path"]).write_text(str(self.used))
        self.send("result", value={"path": self.job["path"]})

    def do_load_cache(self) -> None:
        """As long as the file says."""
        self.pause()
        self.used = int(Path(self.job["path"]).read_text())
        self.send("cache", groups=self.cache())
        self.send("result", value={"path": self.job["path"]})

    def until_due(self, began: float, step: int) -> float | None:
        """Seconds until a token is due under `rate`; None where there is none."""
        rate = self.scenario.get("rate")
        return began + step / rate - time.monotonic() if rate else None

    def chunk(self, index: int, total: int) -> None:
        """One prefill chunk of 64."""
        self.pause()
        self.used = min(self.capacity, self.used + 64)
        at = {"start": index * 64, "tokens": 64, "total": total}
        self.send("chunk", latency_ms=18.0 + index, cache_used=self.used, cache_capacity=self.capacity, **at)

    def token(self, step: int, text: str) -> str:
        """One token; now and then a look at the cache."""
        self.used = min(self.capacity, self.used + 1)
        if step == 2 and "notice" in self.scenario:
            self.send("notice", **self.scenario["notice"])
        self.send(
            "token",
            id=sum(map(ord, text)) if "replies" in self.scenario else 100 + step % 400,
            text=text,
            step=step,
            phase="decode" if step else "prefill",
            latency_ms=21.5 if step == 0 else 4.0 + (step * 7 % 11) / 4,
            cache_used=self.used,
            cache_capacity=self.capacity,
            probability=0.91,
            alternatives=[[100 + step, text, 0.91], [7, "no", 0.05]],
        )
        if step % 32 == 0:
            self.send("cache", groups=self.cache())
        return text

    def cache(self) -> list[dict[str, Any]]:
        """The groups of the cache."""
        lowest = self.scenario.get("lowest", 1)
        legal = [[0, self.used]] if lowest <= 1 else [[0, 0], [min(lowest, self.used), self.used]]
        own = [
            {
                "name": "self",
                "layout": self.layout,
                "layers": 4,
                "capacity": self.capacity,
                "allocated": self.capacity,
                "window": None,
                "shape": [1, 2, self.capacity, 64],
                "dtype": "float32",
                "bytes": self.capacity * 4096,
                "writer": "host",
                "length": self.used,
                "evicted": 0,
                "runs": [[0, 0, self.used]] if self.used else [],
                "rewindable": legal,
            }
        ]
        count = self.scenario.get("cross", 0)
        frozen = {"name": "cross", "layout": "cross", "capacity": count, "allocated": count, "writer": "encoder"}
        runs = {"length": count, "runs": [[0, 0, count]], "bytes": count * 4096, "rewindable": []}
        return [*own, {**own[0], **frozen, **runs}] if count else own


if __name__ == "__main__":
    Fake(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}).serve()
