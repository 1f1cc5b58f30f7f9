"""The frozen program: the window, the command line, and every process that Joinery starts of itself.

joinery                     the window                joinery window [PATH …]    the same, with arguments
joinery COMMAND …           the command line          joinery -P -m MODULE …     a module of Joinery, as Python runs it

A frozen sys.executable takes no options of Python: this program takes the two of python_command
(workflows/process/subprocesses.py), which stays as it is.
"""

import multiprocessing
import runpy
import sys

OWN = ("app", "workflows")


def main() -> None:
    """Runs the module that the arguments ask for as `__main__`."""
    multiprocessing.freeze_support()
    module, arguments = module_for(sys.argv[1:])
    if module.partition(".")[0] not in OWN:
        sys.exit(f"joinery: {module} is no module of Joinery.")
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)  # a package runs as its __main__


def module_for(words: list[str]) -> tuple[str, list[str]]:
    """The module, and the arguments for it."""
    if words[:2] == ["-P", "-m"] and len(words) > 2:
        return words[2], words[3:]
    if not words or words[0] == "window":
        return "app", words[1:]
    return "workflows", words


if __name__ == "__main__":
    main()
