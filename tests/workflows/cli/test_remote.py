"""`joinery remote`, and `--on NAME`: a command there prints, records and fails as it does here."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.fakes.sshd import CHECKOUT, machine_without_network
from tests.workflows.command_line import joinery
from tests.workflows.evaluation.divergence.making import bundle, scaled
from tests.workflows.runtime.toy_bundles import Toy
from workflows.cli import run
from workflows.cli.commands import names_machine
from workflows.measure.history import RunHistory
from workflows.process.machines import RemoteMachine, add_machine

Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RemoteMachine:
    """A machine that is reached without a network; the folder of Joinery here is the test's own."""
    (tmp_path / "there").mkdir()
    program, made = machine_without_network(tmp_path, tmp_path / "there")
    monkeypatch.setenv("JOINERY_SSH", program)
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "here"))
    return made


@pytest.fixture
def box(machine: RemoteMachine) -> None:
    """It was added."""
    add_machine(machine)


def test_machines_are_added_listed_and_removed(cli: Cli) -> None:
    assert cli("remote", "list")[1].startswith("There is no machine yet")
    code, out, _ = cli("remote", "add", "npu", "ssh://ann@npu.lan", "--joinery", "~/joinery", "--no-check", "--json")
    added = json.loads(out)
    assert code == 0 and (added["name"], added["address"], added["path"]) == ("npu", "ssh://ann@npu.lan", "~/joinery")
    assert [json.loads(line) for line in cli("remote", "list", "--json")[1].splitlines()] == [added]
    assert "ssh://ann@npu.lan" in cli("remote", "list")[1]
    assert cli("remote", "remove", "npu")[:2] == (0, "npu removed\n")
    code, _, err = cli("remote", "remove", "npu")
    assert code == 2 and "there is none yet" in err


def test_an_address_that_is_an_option_is_refused(cli: Cli) -> None:
    code, _, err = cli("remote", "add", "npu", "ssh://-oProxyCommand=x", "--no-check")
    assert code == 2 and "is no address of a machine" in err


def test_a_check_prints_the_machine_or_what_is_wrong(cli: Cli, machine: RemoteMachine) -> None:
    code, out, err = cli("remote", "add", "box", machine.address, "--joinery", CHECKOUT)
    assert code == 0 and err == "" and out.startswith("box: Joinery ") and "\ncpu " in out
    code, out, err = cli("remote", "add", "box", machine.address, "--joinery", "/nowhere", "--json")
    assert code == 1 and err.startswith("joinery: box has no Joinery at /nowhere: install it there")
    assert json.loads(out)["problem"] in err and not json.loads(out)["usable"]
    assert cli("remote", "clear", "nobody")[0] == 2


def test_a_generation_there_is_as_here(
    cli: Cli,
    box: None,
    demo_split_bundle: Path,
    tmp_path: Path,
) -> None:
    """The same tokens and the same JSON; a file is a path here; the runs are in the history of this machine."""
    prompt = tmp_path / "a prompt.txt"
    prompt.write_text("8*7=")
    options = ("--prompt-file", prompt, "--max-new-tokens", 6, "--json")
    local = [json.loads(line) for line in cli("generate", demo_split_bundle, *options)[1].splitlines()]
    code, out, err = cli("generate", demo_split_bundle, *options, "--on", "box")
    remote = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (0, "") and len(remote) == len(local) > 2
    assert [one.get("id") for one in remote] == [one.get("id") for one in local]
    for name in ("prompt_ids", "token_ids", "text", "finish_reason"):
        assert remote[-1][name] == local[-1][name]
    generated, here = RunHistory().runs()
    assert [one.machine.startswith("box: ") for one in (generated, here)] == [True, False]
    assert generated.bundle == here.bundle and generated.digest == here.digest


@pytest.mark.slow
def test_measurements_there(
    cli: Cli,
    box: None,
    demo_split_bundle: Path,
    tmp_path: Path,
) -> None:
    short = ("--prompt-tokens", 4, "--new-tokens", 2, "--repeats", 1)
    code, out, _ = cli("bench", demo_split_bundle, *short, "--on=box", "--json")
    assert code == 0 and json.loads(out)["provider"] == "cpu"
    (bench,) = RunHistory().runs()
    assert bench.machine.startswith("box: ") and bench.bundle == str(demo_split_bundle.resolve())
    code, out, _ = cli("profile", demo_split_bundle, "--steps", 1, "--on", "box", "--json")
    assert code == 0 and json.loads(out)["components"]
    prompts = tmp_path / "prompts.txt"
    prompts.write_text("8*7=\n")
    small = ("--prompts", prompts, "--steps", 2, "--questions", 0)
    code, out, _ = cli("preflight", demo_split_bundle, "--provider", "cpu", "--on", "box", "--json")
    assert code == 0 and json.loads(out)["usable"] is True
    code, out, err = cli("eval", demo_split_bundle, "--against", demo_split_bundle, *small, "--on", "box", "--json")
    assert code == 0, err
    assert json.loads(out)["top1_agreement"] == 1.0
    (run_there,) = RunHistory().runs("eval")
    assert run_there.machine.startswith("box: ") and run_there.figures["against"] == str(demo_split_bundle.resolve())
    code, out, err = cli("diverge", demo_split_bundle, demo_split_bundle, "--prompt-ids", 5, "--on", "box", "--json")
    assert code == 0 and json.loads(out)["first"] is None, err


def test_errors_there_are_those_of_here(cli: Cli, box: None, tmp_path: Path) -> None:
    """With the exit code, and with the paths of this machine."""
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "pipeline.json").write_text("{")
    code, out, err = cli("generate", broken, "--prompt", "x", "--on", "box")
    assert (code, out) == (2, "") and err.startswith("joinery: ") and str(broken) in err and "/there/" not in err
    code, _, err = cli("generate", tmp_path / "none", "--prompt", "x", "--on", "box")
    assert code == 2 and f"There is no {tmp_path / 'none'}: check" in err
    code, _, err = cli("generate", broken, "--prompt", "x", "--on", "nobody")
    assert code == 2 and "No machine is called 'nobody', there are box" in err


def test_the_flag_is_seen_in_both_spellings() -> None:
    assert names_machine(["generate", "b", "--on", "x"]) and names_machine(["generate", "--on=x"])
    assert not names_machine(["generate", "b", "--once", "on"])


@pytest.mark.slow
def test_two_sides_on_two_machines(cli: Cli, box: None, tmp_path: Path) -> None:
    """The values of one are those that the other is compared with: the node is found that is found here."""
    pair = bundle(tmp_path / "a", Toy()), bundle(tmp_path / "b", scaled("1.o", 1.01))
    options = ("--prompt-ids", "5,9", "--json")
    code, out, _ = cli("diverge", *pair, *options)
    here = json.loads(out)
    assert code == 0 and here["first"]["op"] == "MatMul"
    for sides in (("local", "box"), ("box", "local"), ("box", "box")):
        done = joinery("diverge", *pair, *options, "--on", sides[0], "--on", sides[1])
        assert done.returncode == 0, done.stderr
        there = json.loads(done.stdout)
        assert there["first"] == here["first"] and there["curve"] == here["curve"], sides
        assert there["prompt_ids"] == here["prompt_ids"] and there["token_ids"] == here["token_ids"]
    same = json.loads(joinery("diverge", pair[0], pair[0], *options, "--on", "local", "--on", "box").stdout)
    assert same["first"] is None and same["nodes_compared"] > 10
    many = joinery("diverge", *pair, *options, *("--on", "box") * 3)
    assert many.returncode == 2 and "A comparison has two sides" in many.stderr
    broken = tmp_path / "recording"
    broken.write_text("no")
    code, _, err = cli("diverge", *pair, "--recorded", broken)
    assert code == 2 and f"{broken} is no recording of a run" in err
    assert cli("diverge", *pair, "--prompt-ids", "5,9", "--record", broken)[0] == 0
    code, _, err = cli("diverge", pair[1], pair[0], "--recorded", broken)
    assert code == 2 and "is a recording of another bundle" in err


def test_help_names_the_flag(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("generate", "bench", "profile", "preflight", "eval", "diverge"):
        assert run([command, "--help"]) == 0
        assert "--on" in capsys.readouterr().out


def test_a_chat_there_keeps_its_turns(
    cli: Cli, box: None, demo_split_bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same replies as here, and the second turn sees the first one."""
    replies = list[list[object]]()
    for more in ((), ("--on", "box")):
        monkeypatch.setattr("sys.stdin", io.StringIO("8*7=\n9*9=\n"))
        code, out, err = cli("chat", demo_split_bundle, "--max-new-tokens", 6, "--json", *more)
        assert code == 0, err
        done = [one for line in out.splitlines() if (one := json.loads(line))["event"] == "done"]
        replies.append([(one["prompt_ids"], one["token_ids"], one["text"]) for one in done])
    assert replies[0] == replies[1] and len(replies[0]) == 2
    left = [
        one for one in psutil.Process().children(recursive=True) if "workflows.service.remote.agent" in one.cmdline()
    ]
    assert left == [], "the chat has ended, and so has what ran for it"
