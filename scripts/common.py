# SPDX-License-Identifier: Apache-2.0
"""What the scripts in Python share, as common.bash does for the others."""
import argparse
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent


def die(message):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {message}")


class Options(argparse.ArgumentParser):
    """Options that the script's own text explains."""

    def __init__(self, text):
        super().__init__(add_help=False, allow_abbrev=False)
        self.add_argument("-h", "--help", action="store_true")
        self.text_ = text

    def parse_args(self, arguments=None):
        arguments = sys.argv[1:] if arguments is None else arguments
        if {"-h", "--help"} & set(arguments):
            print(self.text_.strip())
            sys.exit()
        return self.parse_intermixed_args(arguments)

    def error(self, message):
        die(f"{message} (see --help)")


def in_env(*command, **options):
    """Runs a command where scripts/setup chose; the options are those of subprocess.run."""
    return subprocess.run([SOURCE / "scripts/env", *command], **options)


def output_in_env(*command, **options):
    """The same; what it prints, whatever its status."""
    return in_env(*command, stdout=subprocess.PIPE, text=True, errors="replace", **options).stdout


def jobs_count():
    """How many compilers to run at once; one needs up to 1.5 GB."""
    memory = pathlib.Path("/proc/meminfo")
    available = [int(line.split()[1]) for line in memory.read_text().splitlines()
                 if line.startswith("MemAvailable:")] if memory.exists() else []
    return max(1, min([len(os.sched_getaffinity(0)), *(size // 1572864 for size in available)]))


def build(preset, *targets):
    """Builds targets in a folder that serves scripts/test, too, with all messages in the standard error stream."""
    run = {"check": True, "stdout": sys.stderr, "cwd": SOURCE}
    subprocess.run([SOURCE / "scripts/build", "--preset", preset, "--tests", "--configure-only"], **run)
    in_env("cmake", "--build", f"build/{preset}", "--parallel", str(jobs_count()), "--target", *targets, **run)
