"""The agent's HTTP, from outside: what it allows, and clients that are slow, many, too large, malformed or gone."""

import contextlib
import http.client
import json
import pathlib
import re
import select
import threading
import time
import unittest

from agent_support import AgentWorld
from support import UnixConnection, needs_db_bench, request, wait_for


@needs_db_bench
class AgentHttp(AgentWorld):
    def test_slow_and_half_requests(self):
        host, path = self.served()
        lived = {}

        def half(client):
            began = time.monotonic()
            client.sendall(b"GET /v1/hello HT")
            self.assertEqual(client.recv(100), b"")
            lived["half"] = time.monotonic() - began

        def dripping(client):
            began = time.monotonic()
            try:
                while time.monotonic() - began < 60:
                    client.sendall(b"G" if time.monotonic() == began else b"x")
                    time.sleep(0.2)
            except OSError:
                pass
            lived["dripping"] = time.monotonic() - began

        threads = [threading.Thread(target=way, args=(self.raw(path),)) for way in (half, dripping)]
        for thread in threads:
            thread.start()
        answered = 0
        while any(thread.is_alive() for thread in threads):
            self.well(host, path)
            answered += 1
            time.sleep(0.1)
        self.assertGreater(answered, 3, "others are answered meanwhile")
        for way in ("half", "dripping"):
            self.assertTrue(4 < lived[way] < 30, f"a {way} request was dropped after {lived[way]:.1f} s, not 5 s")

    def test_a_client_that_hangs_up_never_ends_the_host(self):
        host, path = self.served()
        database = self.databases(host)[0]["id"]
        for _ in range(200):
            client = self.raw(path)
            with contextlib.suppress(BrokenPipeError):  # turned away, where the ones before are not yet gone
                client.sendall(3 * f"GET /v1/dbs/{database}/options HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            client.close()
        for _ in range(50):
            client = self.raw(path)
            with contextlib.suppress(BrokenPipeError):
                client.sendall(f"POST /v1/dbs/{database}/restore HTTP/1.1\r\nHost: a\r\n"
                               "Content-Length: 2\r\n\r\n{}".encode())
            client.close()
        wait_for("the places of the clients that went", lambda: self.hello_answered(path), 20)
        self.well(host, path)

    def test_the_ninth_connection_is_turned_away(self):
        host, path = self.served()
        clients = [UnixConnection(path) for _ in range(8)]
        for client in clients:
            self.addCleanup(client.close)
            client.request("GET", "/v1/hello")
            self.assertEqual(client.getresponse().read()[:1], b"{")
        ninth = self.raw(path)
        self.assertTrue(ninth.recv(100).startswith(b"HTTP/1.1 503 "))
        self.assertEqual(ninth.recv(100), b"")
        clients.pop().close()
        wait_for("room for another one", lambda: self.hello_answered(path), 5)
        self.assertIsNone(host.poll())

    def test_requests_that_are_too_large(self):
        host, path = self.served()
        database = self.databases(host)[0]["id"]
        for kilobytes in (65, 1000):
            lease = {"holder": "x" * (kilobytes << 10), "seconds": 5}
            code, body = request(path, "POST", f"/v1/dbs/{database}/lease", lease)
            self.assertEqual((code, body["error"]["code"]), (413, "too_large"))
        client = self.raw(path)
        client.sendall(b"GET /v1/hello HTTP/1.1\r\nHost: a\r\nX: " + b"x" * (9 << 10) + b"\r\n\r\n")
        self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 431 "))
        client = self.raw(path)
        client.sendall(b"\x16\x03\x01\x02\x00 this is TLS\r\n\r\n")
        self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 400 "))
        self.well(host, path)

    # -- one connection

    def exchange(self, client, text, method="GET"):
        """Sends what is given and returns (status, headers, body) of one answer."""
        client.sendall(text if isinstance(text, bytes) else text.encode())
        return self.answer(client, method)

    def answer(self, client, method="GET"):
        response = http.client.HTTPResponse(client, method=method)
        try:
            response.begin()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            response.close()

    def refused(self, client, text, status, code):
        got, headers, body = self.exchange(client, text)
        self.assertEqual((got, json.loads(body)["error"]["code"]), (status, code), body)
        self.assertEqual(headers["Content-Type"], "application/json")

    def refused_alone(self, path, text, status, code):
        with self.raw(path) as client:
            self.refused(client, text, status, code)

    def ended(self, client):
        """Whether the agent has closed its end, and sent nothing more."""
        return client.recv(100) == b""

    def test_what_http_allows(self):
        host, path = self.served()
        database = self.databases(host)[0]["id"]
        lease = b'{"holder":"a","seconds":5}'
        post = f"POST /v1/dbs/{database}/lease HTTP/1.1\r\nHost: a\r\n"

        with self.subTest("HEAD has the header of GET, and no body"):
            client = self.raw(path)
            _, get, body = self.exchange(client, "GET /v1/hello HTTP/1.1\r\nHost: a\r\n\r\n")
            status, head, nothing = self.exchange(client, "HEAD /v1/hello HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD")
            self.assertEqual((status, head["Content-Length"], nothing), (200, str(len(body)), b""))
            self.assertEqual(get, head)
            self.assertEqual(self.exchange(client, "HEAD /none HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD")[0], 404)
            self.assertEqual(self.exchange(client, "GET /v1/hello HTTP/1.1\r\nHost: a\r\n\r\n")[2], body)

        with self.subTest("a client that asks before it sends is told to go on"):
            client = self.raw(path)
            client.sendall((post + f"Expect: 100-continue\r\nContent-Length: {len(lease)}\r\n\r\n").encode())
            self.assertEqual(client.recv(1000), b"HTTP/1.1 100 Continue\r\n\r\n")
            self.assertEqual(self.exchange(client, lease)[0], 200)
            self.refused(client, post + "Expect: 100-continue\r\nContent-Length: 99999\r\n\r\n", 413, "too_large")
            self.assertTrue(self.ended(client))
            self.refused_alone(path, post + "Expect: wonders\r\nContent-Length: 2\r\n\r\n", 417, "bad_request")

        with self.subTest("a body in chunks"):
            client = self.raw(path)
            chunks = b"".join(b"%x;note=1\r\n%s\r\n" % (len(part), part) for part in (lease[:7], lease[7:]))
            request_ = post.encode() + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\nTrailer: x\r\n\r\n"
            self.assertEqual(self.exchange(client, request_)[0], 200)
            self.assertEqual(self.exchange(client, request_)[0], 200)

        with self.subTest("a target with scheme and host"):
            client = self.raw(path)
            self.assertEqual(self.exchange(client, "GET http://agent/v1/hello HTTP/1.1\r\nHost: a\r\n\r\n")[0], 200)
            self.refused(client, "GET http://agent HTTP/1.1\r\nHost: a\r\n\r\n", 404, "not_found")

        with self.subTest("requests sent ahead are answered in order"):
            client = self.raw(path)
            client.sendall(b"".join(b"GET /v1/%s HTTP/1.1\r\nHost: a\r\n\r\n" % what for what in (b"hello", b"dbs") * 20))
            stream = client.makefile("rb")
            for _ in range(20):
                self.assertIn(b"instance", self.one_of(stream))
                self.assertIn(b"databases", self.one_of(stream))

        with self.subTest("a connection ends when the client says so, and with HTTP/1.0"):
            for text in ("GET /v1/hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" * 2,
                         "GET /v1/hello HTTP/1.0\r\n\r\n" * 2):
                with self.raw(path) as client:
                    client.sendall(text.encode())
                    answers = b""
                    while part := client.recv(65536):
                        answers += part
                self.assertEqual(answers.count(b"HTTP/1.1 200"), 1)
            client = self.raw(path)
            for _ in range(2):
                status, headers, _ = self.exchange(client, "GET /v1/hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                self.assertEqual((status, headers["Connection"]), (200, "keep-alive"))
        self.well(host, path)

    def one_of(self, stream):
        """The body of the next of several answers that came together."""
        length = None
        while (line := stream.readline().strip()) != b"":
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return stream.read(length)

    def test_what_http_does_not_allow(self):
        host, path = self.served()
        for method in ("DELETE", "PUT", "OPTIONS", "PATCH", "TRACE", "BREW"):
            self.refused_alone(path, f"{method} /v1/hello HTTP/1.1\r\nHost: a\r\n\r\n", 405, "method_not_allowed")
        for nonsense in (b"GE\0T /v1/hello HTTP/1.1\r\n\r\n", b"GET /v1/hello HTTP/7\r\n\r\n", b"GET\r\n\r\n",
                         b"POST /v1/dbs/1/lease HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                         b"POST /v1/dbs/1/lease HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
                         b"POST /v1/dbs/1/lease HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"):
            with self.raw(path) as client:
                self.refused(client, nonsense, 400, "bad_request")
                self.assertTrue(self.ended(client), nonsense)
        self.well(host, path)

    def test_requests_without_an_end(self):
        host, path = self.served()
        database = self.databases(host)[0]["id"]
        post = f"POST /v1/dbs/{database}/lease HTTP/1.1\r\nHost: a\r\n".encode()
        memory = self.memory(host)
        endless = {
            "path": (b"GET /", b"x" * 4096),
            "header": (b"GET /v1/hello HTTP/1.1\r\n", b"X: y\r\n" * 512),
            "chunks": (post + b"Transfer-Encoding: chunked\r\n\r\n", b"1000\r\n" + b"x" * 4096 + b"\r\n"),
            "chunk extension": (post + b"Transfer-Encoding: chunked\r\n\r\n1;", b"x" * 4096),
            "trailer": (post + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n" * 512),
        }
        for name, (beginning, more) in endless.items():
            with self.subTest(name):
                began = time.monotonic()
                with self.raw(path) as client:
                    client.sendall(beginning)
                    sent = 0
                    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                        while not select.select([client], [], [], 0)[0]:
                            client.sendall(more)
                            sent += len(more)
                            self.assertLess(sent, 4 << 20, "it is refused at once")
                    self.assertRegex(client.recv(100), rb"^HTTP/1.1 4(00|13|31) ")
                    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                        while time.monotonic() - began < 60:
                            client.sendall(more)
                    self.assertLess(time.monotonic() - began, 30, "nor is the rest read for ever")
        self.well(host, path)
        self.assertLess(self.memory(host) - memory, 8 << 20)

    def memory(self, host):
        status = pathlib.Path(f"/proc/{host.pid}/status").read_text()
        return int(re.search(r"RssAnon:\s+(\d+) kB", status)[1]) << 10

    def test_a_client_that_does_not_read(self):
        host, path = self.served()
        database = self.databases(host)[0]["id"]
        ask = f"GET /v1/dbs/{database}/options HTTP/1.1\r\nHost: a\r\n\r\n".encode()
        clients = [self.raw(path) for _ in range(6)]
        memory = self.memory(host)
        began = time.monotonic()
        for client in clients:
            client.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                for _ in range(2000):
                    client.send(ask)
        answered = 0
        while clients and time.monotonic() - began < 60:
            self.well(host, path)
            answered += 1
            for client in list(clients):
                # Not a byte is read here: that the agent has gone is seen by sending.
                try:
                    client.send(b"G")
                except BlockingIOError:
                    continue
                except (BrokenPipeError, ConnectionResetError):
                    clients.remove(client)
            time.sleep(0.1)
        self.assertEqual(clients, [], "it was dropped")
        self.assertGreater(answered, 3, "others are answered meanwhile")
        self.assertGreater(time.monotonic() - began, 4, "it had its time")
        self.assertLess(self.memory(host) - memory, 16 << 20, "one answer for each connection at most")

    def test_a_body_that_drips(self):
        host, path = self.served()
        database = self.databases(host)[0]["id"]
        client = self.raw(path)
        began = time.monotonic()
        client.sendall(f"POST /v1/dbs/{database}/lease HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n".encode())
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while time.monotonic() - began < 60:
                client.sendall(b" ")
                time.sleep(0.1)
        self.assertTrue(4 < time.monotonic() - began < 30, "it had its time, and no more")
        self.well(host, path)


if __name__ == "__main__":
    unittest.main()
