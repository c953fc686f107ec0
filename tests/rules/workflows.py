# SPDX-License-Identifier: Apache-2.0
"""Checks workflows for hosted runners (.github/workflows), since nothing here can run them.

usage: workflows.py FILE...

Each step is a `uses` with a version or a `run`. What runs is valid bash and calls scripts of this project, which exist
and know the options; times are valid; jobs have limits; expressions name what there is. Other YAML files are left alone.
"""
import pathlib
import re
import subprocess
import sys

import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]
CONTEXTS = {"matrix", "github", "runner", "env", "secrets"}
RANGES = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)]  # of cron: minute, hour, day, month, day of the week


def cron_problems(text):
    fields = text.split()
    if len(fields) != 5:
        yield f"cron '{text}' has {len(fields)} fields"
        return
    for field, (low, high) in zip(fields, RANGES):
        for part in re.split(r"[,/-]", field):
            if part != "*" and not (part.isdigit() and low <= int(part) <= high):
                yield f"cron '{text}': {part} is not in {low} to {high}"


def known_options(script):
    """The options that the comment at the head of a script names."""
    head = (TOP / script).read_text().split("\nsource ")[0]
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", head))


def command_problems(text):
    """Of one line of shell, with its expressions replaced."""
    for command in re.split(r"&&|\|\||;", text):
        words = command.split()
        if not words or not words[0].startswith("./"):
            continue
        script = words[0][2:]
        if not (TOP / script).is_file():
            yield f"{words[0]} does not exist"
            continue
        known = known_options(script)
        for word in words[1:]:
            if word == "--":
                break
            if word.startswith("--") and word.split("=")[0] not in known:
                yield f"{words[0]} does not know {word}"


def run_problems(text, matrices):
    for expression in re.findall(r"\$\{\{(.*?)\}\}", text):
        context = expression.strip().split(".")[0]
        if context not in CONTEXTS:
            yield f"expression '{expression.strip()}'"
    texts = [text]
    for name, values in matrices.items():
        pattern = re.compile(r"\$\{\{\s*matrix\." + re.escape(name) + r"\s*\}\}")
        texts = [pattern.sub(lambda _, value=value: str(value), one) for one in texts
                 for value in (values if pattern.search(one) else [""])]
    for one in texts:
        if "matrix." in one:
            yield f"'{one}' names what the matrix lacks"
        shell = re.sub(r"\$\{\{.*?\}\}", "x", one)
        if subprocess.run(["bash", "-n", "-c", shell], capture_output=True).returncode != 0:
            yield f"'{one}' is no shell"
        yield from command_problems(shell)


def matrix_values(job):
    matrix = dict(job.get("strategy", {}).get("matrix", {}))
    values = {}
    for entry in matrix.pop("include", []):
        for name, value in entry.items():
            values.setdefault(name, []).append(value)
    for name, entries in matrix.items():
        values.setdefault(name, []).extend(entries)
    return values


def step_problems(step, matrices):
    if "name" not in step:
        yield "a step has no name"
    if ("run" in step) == ("uses" in step):
        yield f"step '{step.get('name')}' has not one of run and uses"
    if "uses" in step and not re.fullmatch(r"[\w.-]+/[\w./-]+@v?[0-9a-f][\w.]*", step["uses"]):
        yield f"'{step['uses']}' has no version"
    if "run" in step:
        yield from run_problems(step["run"], matrices)


def workflow_problems(workflow):
    triggers = workflow.get("on", workflow.get(True))  # YAML 1.1 reads the key `on` as true
    if not triggers:
        yield "nothing starts it"
    elif isinstance(triggers, dict):
        for entry in triggers.get("schedule") or []:
            yield from cron_problems(entry["cron"])
    if workflow.get("permissions") != {"contents": "read"}:
        yield "it may do more than read"
    for name, job in workflow["jobs"].items():
        for key in ("runs-on", "timeout-minutes", "steps"):
            if key not in job:
                yield f"job {name} has no {key}"
        for needed in [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", []):
            if needed not in workflow["jobs"]:
                yield f"job {name} needs {needed}, which there is not"
        for step in job.get("steps", []):
            for problem in step_problems(step, matrix_values(job)):
                yield f"job {name}: {problem}"


def main():
    found = [f"{path}: {problem}" for path in sys.argv[1:] if "/workflows/" in str(pathlib.Path(path).resolve())
             for problem in workflow_problems(yaml.safe_load(pathlib.Path(path).read_text()))]
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
