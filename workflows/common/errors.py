"""The errors that Joinery raises on purpose, and the exit code that the command line gives each:

    JoineryError                     exit 1: the work failed
    ├── RequestError                 exit 2: the request or the input is wrong
    │   ├── CheckpointError          not a checkpoint, damaged, unsafe or incomplete
    │   │   ├── RemoteCodeError      wants to run its own code and has no consent for it
    │   │   └── HubError             missing, gated or out of reach on the hub
    │   ├── RecipeError              unknown family, task, option or value
    │   │   └── LayoutError          a cache layout that the model's attention cannot have
    │   ├── BundleError              a bundle's file is missing, altered or malformed
    │   ├── GraphError               an .onnx file cannot be read, or is not what it should be
    │   ├── PromptError              a prompt that cannot be run: empty, too long, ids out of range
    │   ├── MediaError               a picture or a sound that cannot be read, or settings that are not known
    │   ├── PromptCacheError         a saved prompt cache that is damaged or belongs to another model
    │   └── DeviceError              a provider that is unknown or cannot be used here
    ├── RemoteError                  another machine cannot be reached or used
    ├── HistoryError                 the history of runs cannot be read or written
    ├── PackageError                 a package that Joinery needs is missing or cannot be loaded
    ├── ClusterError                 the scheduler or the workers of a cluster cannot be used, or are gone
    ├── OutputError                  standard output is closed or cannot be written
    ├── DiskFullError                a disk has no room for a file
    ├── MemoryShortError             the machine or the process's memory limit has no memory left
    ├── LogitsError                  a model gave NaN, or the settings leave no token to choose
    ├── DraftError                   the draft model failed; the generation goes on without drafts
    ├── CacheError                   the operation is impossible in the KV cache's layout
    │   ├── CapacityError            no slot is left
    │   └── RewindError              a length that the kept slots cannot go back to
    └── Cancelled                    exit 130: the user cancelled

A message is one sentence: what is wrong, where, what to do. It carries no text from a file
unless that text was passed through `printable`.
"""

from __future__ import annotations

import errno
import re
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from unicodedata import category

from workflows.common.build_part_finder import is_frozen


class JoineryError(Exception):
    """The work failed for a known reason; `str(error)` is one sentence for the user."""

    exit_code = 1

    @property
    def kind(self) -> str:
        """The error's kind in an error event, the class name without its ending: `checkpoint`, `bundle` …"""
        return type(self).__name__.removesuffix("Error").lower()


class RequestError(JoineryError):
    """The request or its input is wrong: nothing was written, and the same request fails again."""

    exit_code = 2


class CheckpointError(RequestError):
    """A folder that is not a checkpoint, or one that is damaged, unsafe or incomplete."""


class RemoteCodeError(CheckpointError):
    """The checkpoint has Python code that needs consent to run; `files` maps file names to SHA-256 digests."""

    def __init__(self, message: str, files: dict[str, str]) -> None:
        super().__init__(message)
        self.files = files


class HubError(CheckpointError):
    """A hub id that is missing, gated or out of reach; `reason` is one of those words."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class RecipeError(RequestError):
    """An unknown family, task, option or value; the message lists what there is."""


class LayoutError(RecipeError):
    """A cache layout that the exported model's attention cannot have."""

    kind = "recipe"  # the layout is part of the recipe


class BundleError(RequestError):
    """A bundle's file is missing, altered or malformed; the message names it."""


class GraphError(RequestError):
    """An .onnx file that cannot be read, or whose inputs and outputs are not what its role needs."""


class PromptError(RequestError):
    """A prompt that cannot be run: empty, longer than the capacity, ids beyond the vocabulary."""


class PromptLengthError(PromptError):
    """A prompt of more tokens than the cache or the model's positions hold."""


class MediaError(RequestError):
    """A picture or sound that is damaged, too large or of another kind, or a preprocessing setting not known here."""


class PromptCacheError(RequestError):
    """A saved prompt cache that cannot be read, or that belongs to another model or layout."""


class DeviceError(RequestError):
    """An execution provider that is unknown or that cannot be used on this machine."""


class RemoteError(JoineryError):
    """Another machine cannot be reached, refuses the user, or has no Joinery that fits; the message names it."""


class HistoryError(JoineryError):
    """The history of runs cannot be read or written, or a run in it is damaged; the message names which."""


class PackageError(JoineryError):
    """A package that Joinery needs is missing or cannot be loaded; the message names it and what installs it.

    part: the extra of Joinery that has the package, such as `build`; empty for one that every installation has.
    """

    part = ""


class ClusterError(JoineryError):
    """The scheduler or the workers of a cluster cannot be reached or used, or are gone; the message says which."""


class OutputError(JoineryError):
    """Standard output is closed, or the system refuses what is written to it; the message says why."""


class DiskFullError(JoineryError):
    """A disk has no room for a file; the message names the file, what it needs and what is free."""


class MemoryShortError(JoineryError):
    """The machine, or what a process may have of it, has no memory left; see out_of_memory_message."""

    kind = "memory"


class LogitsError(JoineryError):
    """A step whose logits allow no token; the message names the step and its phase."""


class DraftError(JoineryError):
    """The draft model failed; the message names it, and the generation goes on without drafts."""


class CacheError(JoineryError):
    """The operation is impossible in the KV cache's layout."""


class CapacityError(CacheError):
    """The cache has no free slot for the tokens of a step."""


class RewindError(CacheError):
    """A length that the cache cannot be rewound to; `legal` has the half-open ranges of possible lengths."""

    def __init__(self, message: str, legal: tuple[range, ...]) -> None:
        super().__init__(message)
        self.legal = legal


class Cancelled(JoineryError):  # noqa: N818 - nothing went wrong
    """The user or the window cancelled the work."""

    exit_code = 130


# The messages of torch, onnxruntime, numpy, OpenBLAS, the dynamic loader and Rust, and the name of Python's own error.
_OUT_OF_MEMORY = re.compile(
    r"not enough memory|failed to allocate|unable to allocate|bad[ _]alloc|failed to map segment|map zero-fill pages"
    r"|can(?:no|')t allocate memory(?! in static)|out of memory|\bMemoryError\b|memory allocation still failed"
    r"|can't start new thread|pthread_create failed",  # no memory for its stack
    re.IGNORECASE,
)
_UNSAID = ("error return without exception set", "returned NULL without setting an exception")
_UNMADE_NODE = re.compile(r"field '\w+' is required for \w+")  # CPython's parser could not allocate a part of a node
_REFUSED_CODE = re.compile(r'File "([^"\n]+)", line \d+\n(?:.*\n){0,3}?SyntaxError: ')
_MEMORY_ADVICE = {
    "build": "take a smaller checkpoint",
    "open": "open the bundle with a smaller capacity, or build one of a lower precision",
}
_OWN_PACKAGES = {"workflows", "app", "resources"}
_DISTRIBUTIONS = {"PIL": "pillow"}  # import name → the name that pip knows, where they differ
_BUILD_JOBS = {"build", "eval", "assemble", "import", "import-genai", "export-genai", "plan", "recipe", "compile"}


def is_out_of_memory(error: BaseException | None) -> bool:
    """Whether the error, or one in its chain of causes, says that memory ran out."""
    return any(map(_is_shortage, _chain(error)))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and its causes, each once: an error raised again while its own wrapper is handled makes a circle."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _is_shortage(error: BaseException) -> bool:
    if isinstance(error, MemoryError | MemoryShortError):
        return True
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    if isinstance(error, SystemError):  # a function of CPython in C could allocate nothing and did not say so
        return str(error).endswith(_UNSAID)
    if isinstance(error, SyntaxError):
        return _is_sound_code(error.filename)
    if isinstance(error, ValueError) and _UNMADE_NODE.fullmatch(str(error)):
        return _is_of_an_import(error)
    return isinstance(error, RuntimeError | ImportError | JoineryError) and names_out_of_memory(str(error))


def _is_of_an_import(error: Exception) -> bool:
    """Whether it was raised by the import system itself, not by the code of a module."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback is not None and traceback.tb_frame.f_code.co_filename.startswith("<frozen importlib")


def names_out_of_memory(text: str) -> bool:
    """Whether a message, or the last output of a process that ended, says that memory ran out."""
    refused = _REFUSED_CODE.findall(text)
    return bool(_OUT_OF_MEMORY.search(text)) or (bool(refused) and _is_sound_code(refused[-1]))


def _is_sound_code(path: str | None) -> bool:
    """Whether an installed module has no error of syntax: CPython's parser may say so where it can allocate nothing."""
    places = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    installed = {place.resolve() for place in (*places, Path(__file__).parents[2])}
    file = Path(path or "").resolve()
    if not installed & {*file.parents}:  # a stranger's, which may be wrong, and whose path may be any file's
        return False
    try:
        compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, OSError):
        return False
    return True


def out_of_memory_message(job: str, error: BaseException | None = None) -> str:
    """The message with advice on what needs less memory; that of an error which has the numbers, where there is one.

    job: the name of a command or a request.
    """
    if measured := next((one for one in _chain(error) if isinstance(one, MemoryShortError)), None):
        return str(measured)
    less = _MEMORY_ADVICE["build" if job in _BUILD_JOBS else "open"]
    return f"Memory ran out: close other programs, or {less}."


def package_error(error: BaseException | None, job: str) -> PackageError | None:
    """The error for a package whose import failed; None if no import failed. job: the command that needs it."""
    failed = next((one for one in _chain(error) if isinstance(one, ImportError) and one.name), None)
    if failed is None:
        return None
    package = str(failed.name).partition(".")[0]
    if package in _OWN_PACKAGES:
        return None
    requirement, part = _requirement(package)
    needs = f"joinery {job}".strip() if job else "Joinery"
    if is_frozen():
        return _frozen_error(needs, package, part)
    install = f"{_quoted(sys.executable)} -m pip install"
    if not isinstance(failed, ModuleNotFoundError):
        return PackageError(
            f"{needs} needs the package {printable(package)}, which cannot be loaded ({printable(failed, 200)}): "
            f"{install} --force-reinstall '{requirement}'."
        )
    if not part:
        return PackageError(
            f"{needs} needs the package {printable(package)}, which is not installed: {install} '{requirement}'."
        )
    error = PackageError(
        f"{needs} needs the part {part} of Joinery, whose package {printable(package)} is not installed: "
        f"{install} 'joinery[{part}]'."
    )
    error.part = part
    return error


def _frozen_error(needs: str, package: str, part: str) -> PackageError:
    """What the frozen program says of a package that it does not carry."""
    what = (
        f"the part {part} of Joinery, whose package {printable(package)}"
        if part
        else f"the package {printable(package)}"
    )
    extra = f"[{part}]" if part else ""
    error = PackageError(
        f"{needs} needs {what} this program does not carry: install Joinery for Python by "
        f"`python3 -m pip install 'joinery{extra}'`, and do this with it."
    )
    error.part = part
    return error


def _quoted(path: str) -> str:
    """A program's path as a word of a command line."""
    return f'"{path}"' if " " in path else path


def _requirement(package: str) -> tuple[str, str]:
    """Joinery's requirement for an import name, and the extra that has it; empty where every installation has it."""
    from importlib import metadata

    package = _DISTRIBUTIONS.get(package, package)
    plain = normalized_name(package)
    try:
        requirements = metadata.requires("joinery") or []
    except metadata.PackageNotFoundError:  # run from a folder of its source
        requirements = []
    for text in requirements:
        requirement, _, marker = (part.strip() for part in text.partition(";"))
        if normalized_name(re.split(r"[^A-Za-z0-9._-]", requirement)[0]) == plain:
            extra = re.search(r"extra == '([^']+)'", marker)
            if not extra or extra[1] != "dev":
                return requirement, extra[1] if extra else ""
    return printable(package), ""


def normalized_name(name: str) -> str:
    """A distribution's name, normalized as in PEP 503."""
    return re.sub(r"[-_.]+", "-", name).lower()


def error_to_dict(error: Exception, job: str) -> dict[str, str] | None:
    """The error's JSON fields for `error_from_dict`; None for an unexpected one. job: the command, for messages."""
    if is_out_of_memory(error):
        error = MemoryShortError(out_of_memory_message(job, error))
    elif not isinstance(error, JoineryError):
        error = package_error(error, job) or error
    if not isinstance(error, JoineryError):
        return None
    part = {"part": error.part} if isinstance(error, PackageError) and error.part else {}
    return {"error": type(error).__name__, "message": str(error), **part}


def error_from_dict(fields: Mapping[str, object], default: type[JoineryError] = CheckpointError) -> JoineryError:
    """The error of the fields of `error_to_dict`; `default` for a class that needs more than a message."""
    made = next((one for one in _classes_of_a_message() if one.__name__ == fields["error"]), default)
    error = made(printable(fields.get("message"), 600))
    if isinstance(error, PackageError):
        error.part = printable(fields.get("part", ""))
    return error


def error_of_kind(kind: str, message: str, default: type[JoineryError]) -> JoineryError:
    """The error that an error event with this kind was made of; `default` for a kind without a class."""
    made = next((one for one in _classes_of_a_message() if one("").kind == kind), default)
    return made(message)


def _classes_of_a_message() -> list[type[JoineryError]]:
    classes = [one for one in globals().values() if isinstance(one, type) and issubclass(one, JoineryError)]
    return [one for one in classes if one.__init__ is Exception.__init__]


def describe_os_error(error: OSError) -> str:
    """What the system refused and for which path, as one sentence."""
    named = error.filename2 or error.filename  # of two names the new one
    where = f" {printable(named)}" if named else ""
    why = error.strerror or str(error) or type(error).__name__
    return f"The system cannot read or write{where}: {why}; check the path, the free space and the permissions."


def printable(text: object, limit: int = 120) -> str:
    """Untrusted text made safe for terminals and logs: no control characters, at most `limit` characters.

    A space of another width, as in a locale's dates and numbers, becomes a plain one.
    """
    clean = str(text)
    if not clean.isprintable():
        clean = "".join(c if c.isprintable() else " " if category(c) == "Zs" else "�" for c in clean)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"
