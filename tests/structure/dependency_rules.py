#!/usr/bin/env python3
"""Checks the dependency rules of docs/architecture.md: which part may include and link what.

Two scans, one table: the #include lines of every source file, and the libraries that each part's CMakeLists.txt
links. Prints every breach as file:line and exits 1 if there is one.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# part -> other parts whose headers it may include (its own are always allowed)
PARTS = {
    "wire": set(),
    "model": set(),
    "policy": {"model"},
    "score": {"model"},
    "advice": {"model"},
    "sim": {"model", "policy"},
    "trace": {"model"},
    "replay": {"model", "policy", "trace"},
    "files": {"model"},
    "prior": {"model", "files"},
    "page": set(),
    "scenario": {"model", "sim", "files", "prior"},
    "agent": {"wire"},
    "daemon": {"wire", "model", "policy", "sim", "trace", "files", "prior"},
    "tools": {"wire", "model", "policy", "score", "advice", "sim", "trace", "replay", "files", "prior", "page", "scenario"},
    "bench": {"wire", "model", "policy", "score", "sim", "trace", "replay", "files", "page", "scenario", "agent"},
}

# Third-party libraries by the headers that they are known by.
THIRD_PARTY = {
    "boost": re.compile(r"^boost/"),
    "spdlog": re.compile(r"^(spdlog|fmt)/"),
    "yaml-cpp": re.compile(r"^yaml-cpp/"),
    "sqlite": re.compile(r"^sqlite3\.h$"),
    "rocksdb": re.compile(r"^rocksdb/"),
    "json": re.compile(r"^nlohmann/"),
    "eigen": re.compile(r"^Eigen/"),
    "cli11": re.compile(r"^CLI/"),
    "expected": re.compile(r"^tl/"),
    "zlib": re.compile(r"^zlib\.h$"),
    "libnvme": re.compile(r"^libnvme\.h$"),
}
# Pure code starts no thread, reads no clock and no file.
IMPURE = re.compile(
    r"^(thread|mutex|shared_mutex|condition_variable|future|fstream|filesystem|random|ctime|time\.h|"
    r"unistd\.h|fcntl\.h|cstdio|stdio\.h|iostream|sys/.*)$"
)
PURE = {"model", "policy", "score", "advice", "sim"}
ALLOWED_THIRD_PARTY = {
    "wire": {"json", "expected"},
    "model": {"expected"},
    "policy": {"eigen", "expected"},
    "score": {"expected"},
    "advice": {"expected"},
    "sim": {"eigen", "expected"},
    "trace": {"sqlite", "json", "expected", "zlib"},
    "replay": {"expected"},
    "files": {"yaml-cpp", "expected"},
    "prior": {"expected"},
    "page": {"json"},
    "scenario": {"yaml-cpp", "json", "expected"},
    "agent": {"rocksdb", "boost", "expected"},
    "daemon": set(THIRD_PARTY) - {"rocksdb", "eigen"},
    "tools": set(THIRD_PARTY) - {"rocksdb", "eigen", "libnvme"},
    "bench": set(THIRD_PARTY) - {"libnvme"},
}
# CMake target -> the third-party library it stands for
LINKED = {
    "rocktune_boost": "boost", "Boost::headers": "boost", "spdlog::spdlog": "spdlog",
    "spdlog::spdlog_header_only": "spdlog", "yaml-cpp::yaml-cpp": "yaml-cpp", "SQLite::SQLite3": "sqlite",
    "rocktune_rocksdb": "rocksdb", "RocksDB::rocksdb-shared": "rocksdb", "RocksDB::rocksdb": "rocksdb",
    "nlohmann_json::nlohmann_json": "json", "Eigen3::Eigen": "eigen", "CLI11::CLI11": "cli11",
    "tl::expected": "expected", "ZLIB::ZLIB": "zlib", "rocktune_libnvme": "libnvme",
}
CLOCK_READ = re.compile(r"(_clock::now\(|\bclock_gettime\(|\btime\(nullptr\)|\bstd::rand\()")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')


def include_breaches(path: pathlib.Path, part: str):
    pure = part in PURE
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path.relative_to(ROOT)}:{number}"
        if pure and CLOCK_READ.search(line.split("//")[0]):
            yield f"{where}: {part} is pure and may not read a clock or randomness: {line.strip()}"
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(2)
        other = header.split("/")[0]
        if other == "rocktune":
            other = "agent"
        if other in PARTS and other != part and other not in PARTS[part]:
            yield f"{where}: {part} may not include {header} ({part} may know: {sorted(PARTS[part]) or 'nothing'})"
        if pure and IMPURE.match(header):
            yield f"{where}: {part} is pure and may not include <{header}>"
        for library, pattern in THIRD_PARTY.items():
            if pattern.match(header) and library not in ALLOWED_THIRD_PARTY[part]:
                yield f"{where}: {part} may not use {library} ({header})"


def link_breaches(path: pathlib.Path, part: str):
    text = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
    where = path.relative_to(ROOT)
    for word in re.findall(r"[\w:.+-]+", text):
        library = LINKED.get(word)
        if library and library not in ALLOWED_THIRD_PARTY[part]:
            yield f"{where}: {part} may not link {word}"
        match = re.fullmatch(r"rocktune_(wire|model|policy|score|advice|sim|trace|replay|files|prior|page|scenario|agent|daemon|tools|bench)(?:_\w+)?", word)
        if match and match.group(1) != part and match.group(1) not in PARTS[part]:
            yield f"{where}: {part} may not link {word}"


def main() -> int:
    breaches, files = [], 0
    for part in PARTS:
        folder = ROOT / part
        for path in sorted(folder.rglob("*")):
            if path.suffix in {".h", ".cc", ".c"}:
                files += 1
                breaches += include_breaches(path, part)
            elif path.name == "CMakeLists.txt":
                files += 1
                breaches += link_breaches(path, part)
    for breach in breaches:
        print(breach, file=sys.stderr)
    print(f"dependency rules: {files} files, {len(breaches)} breaches")
    if files == 0:
        print("dependency rules: no file found, which cannot be right", file=sys.stderr)
        return 1
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
