"""docs/wire.md's examples, run as they stand there against a real host: each must be answered as it says, with the fields it shows."""

import json
import re
import shutil
import subprocess
import unittest

from agent_support import AgentWorld
from support import ROOT, UNTIL_KILLED, needs_db_bench, request, wait_for

DOCUMENT = ROOT / "docs" / "wire.md"
SOCKET = "/run/rocktune/agent.4711.sock"
BLOCK = re.compile(r"^```(sh)?\n(.*?)^```$", re.M | re.S)
EXAMPLE = re.compile(r"(?P<command>(?:get|post) .*?)(?:\n(?P<answer>[{\[].*))?\Z", re.S)
REST = "..."  # stands for more of the same


def examples(text):
    """[(command, status, shown answer or None)] in the document's order."""
    found = []
    for language, block in BLOCK.findall(text):
        example = None if language else EXAMPLE.match(block.rstrip("\n"))
        if example:
            status = re.search(r"# (\d{3})\s*$", example["command"])
            found.append((example["command"], int(status[1]) if status else None,
                          parse(example["answer"]) if example["answer"] else None))
    return found


def parse(shown):
    """Shown JSON, in which `...` becomes an entry of its object or list."""
    text, stack, quoted, position = [], [], False, 0
    while position < len(shown):
        letter = shown[position]
        if quoted:
            quoted = letter != '"'
        elif shown.startswith(REST, position):
            text.append('"...":null' if stack[-1] == "{" else '"..."')
            position += len(REST)
            continue
        elif letter == '"':
            quoted = True
        elif letter in "{[":
            stack.append(letter)
        elif letter in "}]":
            stack.pop()
        text.append(letter)
        position += 1
    return json.loads("".join(text))


def kind(value):
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return type(value).__name__
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def differences(shown, actual, where="answer"):
    """What the document shows and the answer does not have, or has otherwise."""
    if kind(shown) != kind(actual):
        return [f"{where}: {kind(actual)} instead of {kind(shown)}"]
    if isinstance(shown, dict):
        return differences_of_objects(shown, actual, where)
    if isinstance(shown, list):
        return differences_of_lists([item for item in shown if item != REST], actual, where)
    if where.endswith(".status") and shown != actual:
        return [f"{where}: {actual} instead of {shown}"]
    return []


def differences_of_objects(shown, actual, where):
    keys = set(shown) - {REST}
    wrong = [f"{where}.{key}: missing" for key in sorted(keys - set(actual))]
    if REST not in shown:
        wrong += [f"{where}.{key}: not documented" for key in sorted(set(actual) - keys)]
    for key in sorted(keys & set(actual)):
        wrong += differences(shown[key], actual[key], f"{where}.{key}")
    return wrong


def differences_of_lists(shown, actual, where):
    wrong = []
    for index, item in enumerate(shown):
        named = [other for other in actual if isinstance(item, dict) and isinstance(other, dict) and
                 "name" in item and other.get("name") == item["name"]]
        others = named or actual[index:index + 1] or actual[:1]
        if not others:
            return [f"{where}: empty"]
        if isinstance(item, str):
            continue
        wrong += differences(item, others[0], f"{where}[{index}]")
    return wrong


@needs_db_bench
@unittest.skipUnless(shutil.which("curl"), "curl is not installed")
class WireDocument(AgentWorld):
    def setUp(self):
        super().setUp()
        host = self.db_bench("--benchmarks=fillrandom", f"--duration={UNTIL_KILLED}", "--num=1000000", "--value_size=100",
                             "--compression_type=none", "--write_buffer_size=2097152", "--max_background_jobs=2",
                             "--db_write_buffer_size=1073741824",
                             "--benchmark_write_rate_limit=4000000")
        self.socket = self.served_by(host)
        self.database = wait_for("the database that stays", lambda: self.lasting_databases(self.socket))[0]["id"]
        wait_for("something to show", lambda: (self.directory / "db").exists() and
                 len(list((self.directory / "db").glob("*.sst"))) > 1)
        # What the examples take for granted.
        self.assertEqual(request(self.socket, "POST", f"/v1/dbs/{self.database}/lease",
                                 {"holder": "rocktuned", "seconds": 10})[0], 200)

    def ask(self, target):
        status, answer = request(self.socket, "GET", target)
        self.assertEqual(status, 200, target)
        return answer

    def run_example(self, functions, command):
        """(status, answer) of the command as a shell runs it with the document's functions."""
        told = """curl() { command curl -w '\\n%{http_code}' "$@"; }\n"""
        result = subprocess.run(["sh", "-c", told + functions + "\n" + command], capture_output=True, text=True,
                                check=False, timeout=300)
        self.assertEqual(result.returncode, 0, result.stderr)
        body, _, status = result.stdout.rpartition("\n")
        return int(status), json.loads(body) if body else None

    def test_every_example_is_answered_as_it_is_shown(self):
        text = DOCUMENT.read_text()
        functions = next(block for language, block in BLOCK.findall(text) if language == "sh")
        self.assertIn(f"S={SOCKET}", functions)
        functions = functions.replace(SOCKET, str(self.socket))
        found = examples(text)
        self.assertGreaterEqual(len(found), 8)
        for command, wanted, shown in found:
            with self.subTest(command):
                status, answer = self.run_example(functions, command.replace("/v1/dbs/2/", f"/v1/dbs/{self.database}/"))
                if wanted:
                    self.assertEqual(status, wanted, answer)
                else:
                    self.assertEqual(status // 100, 2, answer)
                if shown is not None:
                    self.assertEqual(differences(shown, answer), [])

    def test_every_capability_has_an_example(self):
        commands = "\n".join(command for command, _, _ in examples(DOCUMENT.read_text()))
        hello = self.ask("/v1/hello")
        self.assertIn("sample", hello["capabilities"])
        for capability in hello["capabilities"]:
            self.assertRegex(commands, rf"/v1/dbs/2/{capability}\b", f"docs/wire.md has no example of {capability}")
            status, _ = request(self.socket, "GET", f"/v1/dbs/{self.database}/{capability}")
            self.assertIn(status, (200, 405), f"the agent says that it can do {capability}, and cannot")


class Comparison(unittest.TestCase):
    """The comparison itself finds what is wrong."""

    def test_differences(self):
        shown = parse('{"a":1,"b":[{"name":"x","c":"..."}, ...],"d":{"e":true, ...}}')
        good = {"a": 2.5, "b": [{"name": "y"}, {"name": "x", "c": ""}], "d": {"e": False, "f": 1}}
        self.assertEqual(differences(shown, good), [])
        self.assertEqual(differences(shown, {**good, "a": "1"}), ["answer.a: str instead of number"])
        self.assertEqual(differences(shown, {**good, "new": 1}), ["answer.new: not documented"])
        self.assertEqual(differences(shown, {**good, "b": []}), ["answer.b: empty"])
        self.assertEqual(differences(shown, {**good, "d": {}}), ["answer.d.e: missing"])
        self.assertEqual(differences(parse('{"status":"applied"}'), {"status": "failed"}),
                         ["answer.status: failed instead of applied"])

    def test_examples(self):
        text = "```sh\nS=x\n```\n```\nget /v1/hello # 404\n{\"error\":{...}}\n```\n```\npost /a '{\n  {\"b\":1}'\n```\n```\nno\n```\n"
        self.assertEqual(examples(text), [("get /v1/hello # 404", 404, {"error": {REST: None}}),
                                          ("post /a '{\n  {\"b\":1}'", None, None)])


if __name__ == "__main__":
    unittest.main()
