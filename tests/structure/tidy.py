#!/usr/bin/env python3
"""Runs clang-tidy (list of checks: .clang-tidy) over the project's sources, several files at a time.

Reads the compile commands of a GCC build; tests are left out: Catch2's macros would drown the findings.
"""

import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ("agent", "wire", "model", "policy", "score", "advice", "sim", "trace", "replay", "files", "prior", "page", "daemon", "tools", "bench")


def tidy(build: pathlib.Path, source: pathlib.Path):
    command = ["clang-tidy-19", "-p", str(build), "--quiet", "--extra-arg=-Wno-unknown-warning-option",
               "--extra-arg=-Wno-error", str(source)]  # the compiler has its own say on warnings
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return source, result.returncode, result.stdout + (result.stderr if result.returncode else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build folder with compile_commands.json")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="only these (default: all)")
    arguments = parser.parse_args()

    commands = json.loads((arguments.build / "compile_commands.json").read_text())
    known = {pathlib.Path(entry["file"]).resolve() for entry in commands}
    wanted = {path.resolve() for path in arguments.files} if arguments.files else known
    sources = sorted(path for path in known & wanted
                     if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in PARTS)
    if not sources:
        print("tidy: no source file to look at", file=sys.stderr)
        return 1
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for number, (source, code, text) in enumerate(
                pool.map(lambda path: tidy(arguments.build, path), sources), 1):
            if code:
                failed += 1
                print(text)
            print(f"tidy: [{number}/{len(sources)}] {source.relative_to(ROOT)}{' FAILED' if code else ''}", flush=True)
    print(f"tidy: {len(sources)} files, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
