"""A page as a reader opens it: in a headless browser, from disk, with no network.

Needs chromium (`apt-get install chromium` on Debian; Ubuntu has it as a snap alone, which cannot read the pages in
/tmp: take another build of it there). Tests that draw are skipped without it, and say so.
"""

import html
import html.parser
import json
import os
import re
import shutil
import struct
import subprocess
import unittest
import zlib

from support import World


def found_chromium():
    """(its path, None), or (None, why there is none)."""
    why = "no chromium: apt-get install chromium"
    for path in filter(None, map(shutil.which, ("chromium", "chromium-browser"))):
        if "/snap" in os.path.realpath(path):
            why = f"{path} is a snap, which cannot read a page in /tmp"
            continue
        # Ubuntu's packages are a script that asks for the snap, and fails.
        try:
            if subprocess.run([path, "--version"], capture_output=True, timeout=300, check=False).returncode == 0:
                return path, None
        except (OSError, subprocess.TimeoutExpired):
            pass
        why = f"{path} does not start (on Ubuntu it only stands for a snap)"
    return None, why


CHROMIUM, NO_CHROMIUM = found_chromium()
needs_chromium = unittest.skipIf(CHROMIUM is None, NO_CHROMIUM)
# No name resolves and no proxy is asked, so nothing can come from a network.
OFFLINE = ["--host-resolver-rules=MAP * ~NOTFOUND", "--no-proxy-server", "--disable-background-networking"]


def pixels(path):
    """The set of colours, as (red, green, blue), in a PNG of 8 bits without interlacing, and its width."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, _, form = struct.unpack(">IIBB", chunk[:10])
        elif kind == b"IDAT":
            packed += chunk
        at += length + 12
    channels = {2: 3, 6: 4}[form]
    raw, stride = zlib.decompress(packed), width * channels
    colours, above = set(), bytearray(stride)
    for row in range(height):
        start = row * (stride + 1)
        method, line = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        unfilter(method, line, above, channels)
        colours.update(zip(line[0::channels], line[1::channels], line[2::channels]))
        above = line
    return colours, width


def unfilter(method, line, above, channels):
    """Undoes one row's filter in place (PNG specification, section 9)."""
    for i in range(len(line) if method else 0):
        left = line[i - channels] if i >= channels else 0
        corner = above[i - channels] if i >= channels else 0
        if method == 1:
            guess = left
        elif method == 2:
            guess = above[i]
        elif method == 3:
            guess = (left + above[i]) // 2
        else:
            near = left + above[i] - corner
            guess = min((left, above[i], corner), key=lambda one: abs(near - one))
        line[i] = (line[i] + guess) & 255


class Elements(html.parser.HTMLParser):
    """Counts elements by name and by class."""

    def __init__(self, text):
        super().__init__()
        self.found = {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name in [tag, *("." + one for one in (dict(attributes).get("class") or "").split())]:
            self.found[name] = self.found.get(name, 0) + 1


OVERVIEW = """
  const canvases = [...document.querySelectorAll('canvas')];
  const inked = (canvas) => new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)
    .some((pixel) => pixel !== 0);
  return {scroll: document.documentElement.scrollWidth, figures: document.querySelectorAll('figure').length,
          canvases: canvases.length, widest: Math.max(0, ...canvases.map((one) => one.clientWidth)),
          blank: [...document.querySelectorAll('figure')].filter((one) => ![...one.querySelectorAll('canvas')].some(inked)).length,
          titles: [...document.querySelectorAll('figcaption .title')].map((one) => one.textContent),
          legend: [...document.querySelectorAll('.tools label')].map((one) => one.textContent)};
"""


class BrowserWorld(World):
    """A world in which pages are looked at."""

    def browse(self, page, width, *options):
        """Opens the page; returns stdout, having checked that the console stayed empty."""
        ended = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--enable-logging=stderr",
             f"--user-data-dir={self.directory}/profile", "--virtual-time-budget=5000", f"--window-size={width},3200",
             *OFFLINE, *options, f"file://{page}"], capture_output=True, text=True, timeout=300)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        said = [line for line in ended.stderr.splitlines() if "CONSOLE" in line]
        self.assertEqual(said, [], "the page reported errors")
        return ended.stdout

    def drawn(self, page, width, *options):
        """The colours of the page's picture."""
        picture = self.directory / "page.png"
        picture.unlink(missing_ok=True)
        self.browse(page, width, f"--screenshot={picture}", *options)
        colours, seen_width = pixels(picture)
        self.assertEqual(seen_width, width)
        return colours

    def with_script(self, page, script):
        """A copy of the page in which the script runs after the page's own."""
        copy = page.with_name("scripted.html")
        copy.write_text(page.read_text().replace("</body>", f"<script>{script}</script></body>"))
        return copy

    def facts(self, page, width, script):
        """What the script, a function's body, returns in the page at that width: in a frame, since a window of
        chromium's is at least 500 pixels wide."""
        framed = self.with_script(page, f"parent.postMessage(JSON.stringify((() => {{ {script} }})()), '*')")
        outer = page.with_name("outer.html")
        outer.write_text(f"""<!DOCTYPE html><title>nothing</title><script>onmessage = (event) => document.title = event.data
            </script><iframe src="{framed.name}" style="width: {width}px; height: 3000px; border: 0"></iframe>""")
        dom = self.browse(outer, 1700, "--dump-dom")
        return json.loads(html.unescape(re.search("<title>(.*?)</title>", dom).group(1)))

    def assert_whole(self, page, width, figures):
        """The page is as wide as its window, and has at least so many charts, each with something drawn."""
        seen = self.facts(page, width, OVERVIEW)
        self.assertEqual(seen["scroll"], width)
        self.assertGreaterEqual(seen["figures"], figures)
        self.assertEqual(seen["canvases"], 2 * seen["figures"])
        self.assertLessEqual(seen["widest"], width)
        self.assertEqual(seen["blank"], 0)
        return seen
