#!/usr/bin/env python3
"""Runs clang-tidy (list of checks: .clang-tidy) over the project's sources, several at a time.

Reads the compile commands of a GCC build, best of a unity build: there each header is read once for a batch of
sources, which takes a sixth of the time. Tests are left out: Catch2's macros would drown the findings.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ("agent", "wire", "model", "policy", "score", "advice", "sim", "trace", "replay", "files", "prior", "page", "scenario", "daemon", "tools", "bench")


def sources_of(file: pathlib.Path) -> list[pathlib.Path]:
    """What is compiled with this file: itself, or what a batch of a unity build includes."""
    if "Unity" not in file.parts:
        return [file]
    return [pathlib.Path(name) for name in re.findall(r'^#include "(.+)"$', file.read_text(), re.MULTILINE)]


def is_ours(source: pathlib.Path) -> bool:
    return source.is_relative_to(ROOT) and source.relative_to(ROOT).parts[0] in PARTS


def tidy(build: pathlib.Path, file: pathlib.Path):
    command = ["clang-tidy-19", "-p", str(build), "--quiet", f"--config-file={ROOT / '.clang-tidy'}",
               "--extra-arg=-Wno-unknown-warning-option",
               "--extra-arg=-Wno-error", str(file)]  # the compiler has its own say on warnings
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return file, result.returncode, result.stdout + (result.stderr if result.returncode else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build folder with compile_commands.json")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="only these (default: all)")
    arguments = parser.parse_args()

    commands = json.loads((arguments.build / "compile_commands.json").read_text())
    batches = {}
    for entry in commands:
        file = pathlib.Path(entry["file"]).resolve()
        sources = [source for source in sources_of(file) if is_ours(source)]
        if sources:
            batches[file] = sources
    wanted = {path.resolve() for path in arguments.files}
    files = sorted(file for file, sources in batches.items() if not wanted or wanted & set(sources))
    missing = wanted - {source for sources in batches.values() for source in sources}
    if missing or not files:
        print("tidy: no source file to look at:", *sorted(str(path) for path in missing), file=sys.stderr)
        return 1
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for number, (file, code, text) in enumerate(
                pool.map(lambda path: tidy(arguments.build, path), files), 1):
            if code:
                failed += 1
                print(text)
            print(f"tidy: [{number}/{len(files)}] {os.path.relpath(file, ROOT)}{' FAILED' if code else ''}", flush=True)
    seen = sum(len(batches[file]) for file in files)
    print(f"tidy: {seen} sources in {len(files)} files, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
