"""The page of a comparison as a reader opens it: in a browser, from disk, narrow and wide, light and dark."""

import json
import subprocess
import unittest

import report_runs
from browser import BrowserWorld, Elements, needs_chromium
from support import BIN


class Report(BrowserWorld):
    def make(self, comparison):
        """Returns the directory with compare.html, .md, .txt and .json."""
        runs = self.directory / "runs.json"
        runs.write_text(json.dumps(comparison))
        made = subprocess.run([BIN / "make_report", runs, self.directory], capture_output=True, text=True, timeout=300)
        self.assertEqual(made.returncode, 0, made.stderr)
        return self.directory

    FACTORS = {"static": 1, "headroom": 2.5}
    LIGHT = [(0x6B, 0x72, 0x80), (0x00, 0x72, 0xB2)]  # the first two of looks.js, of static and headroom
    DARK = [(0xAA, 0xB2, 0xBD), (0x4F, 0xB0, 0xEE)]
    CHARTS = 13  # throughput, two P99, stalls, L0, pending, four of the device, three knobs

    # Swatches and marks have the policies' colours too: without them only a drawn line has.
    ONLY_LINES = """
      document.querySelectorAll('.swatch').forEach((one) => one.remove());
      drawn[0].data.marks = [];
      drawn[0].redraw();
    """

    def test_the_files_say_the_same(self):
        directory = self.make(report_runs.comparison(self.FACTORS))
        summary = json.loads((directory / "compare.json").read_text())
        tuned = summary["policies"][1]
        self.assertEqual(tuned["policy"], "headroom")
        throughput = tuned["figures"]["ops_per_second"]
        self.assertEqual(throughput["verdict"], "better")
        ratio = f"{throughput['ratio']['of_medians']:.2f}"
        for name in ("compare.md", "compare.txt", "compare.html"):
            self.assertIn(f"headroom did {ratio} times the throughput of static", (directory / name).read_text(), name)
        self.assertAlmostEqual(tuned["figures"]["seconds_above_slo"]["median"], 0)
        self.assertAlmostEqual(summary["policies"][0]["figures"]["seconds_above_slo"]["median"], 20, delta=0.1)

    def test_noisy_runs_are_called_noisy(self):
        directory = self.make(report_runs.comparison({"static": 1, "headroom": 1.02}, wobble=0.1))
        summary = json.loads((directory / "compare.json").read_text())
        self.assertEqual(summary["policies"][1]["figures"]["ops_per_second"]["verdict"], "too noisy to call")
        self.assertIn("too noisy to call", (directory / "compare.txt").read_text())

    @needs_chromium
    def test_charts_are_drawn_on_a_phone_and_a_wide_screen(self):
        page = self.make(report_runs.comparison(self.FACTORS)) / "compare.html"
        for width in (400, 1600):
            with self.subTest(width=width):
                seen = self.facts(page, width, """
                  const widths = [...document.querySelectorAll('canvas')].map((one) => one.clientWidth);
                  return {window: innerWidth, figures: document.querySelectorAll('figure').length,
                          canvases: widths.length, least: Math.min(...widths), most: Math.max(...widths)};
                """)
                self.assertEqual(seen["window"], width)
                self.assertEqual(seen["figures"], self.CHARTS)
                # Dygraphs draws each chart on two canvases: the lines, and what the cursor points at.
                self.assertEqual(seen["canvases"], 2 * self.CHARTS)
                self.assertGreater(seen["least"], 0.8 * width)
                self.assertLessEqual(seen["most"], width)
                colours = self.drawn(self.with_script(page, self.ONLY_LINES), width)
                for colour in self.LIGHT:
                    self.assertIn(colour, colours)

    @needs_chromium
    def test_the_page_is_no_wider_than_the_window(self):
        policies = {f"policy number {i}": 1 + i / 10 for i in range(7)}
        page = self.make(report_runs.comparison(policies, reference="policy number 0")) / "compare.html"
        for width in (400, 1600):
            self.assertEqual(self.facts(page, width, "return document.documentElement.scrollWidth"), width)

    @needs_chromium
    def test_dark_where_the_reader_prefers_it(self):
        page = self.make(report_runs.comparison(self.FACTORS)) / "compare.html"
        colours = self.drawn(self.with_script(page, self.ONLY_LINES), 800, "--blink-settings=preferredColorScheme=0")
        for colour in [*self.DARK, (0x14, 0x17, 0x1B)]:
            self.assertIn(colour, colours)
        self.assertNotIn((255, 255, 255), colours)

    @needs_chromium
    def test_charts_zoom_and_point_together(self):
        page = self.make(report_runs.comparison(self.FACTORS)) / "compare.html"
        # A zoom of the third chart as a reader's, then the cursor at second 24, where headroom made a change.
        seen = self.facts(page, 1000, """
          const charts = drawn[0].charts;
          charts[2].graph.updateOptions({dateWindow: [15, 45]});
          drawn[0].select(24);
          return {
            windows: charts.map((one) => one.graph.xAxisRange()),
            rows: charts.map((one) => one.graph.getSelection()),
            throughput: charts[0].values.textContent, cursor: drawn[0].cursor.textContent};
        """)
        self.assertEqual(seen["windows"], [[15, 45]] * self.CHARTS)
        self.assertEqual(len(set(seen["rows"])), 1)
        self.assertGreater(seen["rows"][0], 0)
        self.assertRegex(seen["throughput"], r"^ [\d.]+ k \[.*\] [\d.]+ k \[.*\]$")
        self.assertIn("seconds 24, burst", seen["cursor"])
        self.assertIn("rate_limiter", seen["cursor"])

    @needs_chromium
    def test_a_policy_can_be_hidden(self):
        page = self.make(report_runs.comparison(self.FACTORS)) / "compare.html"
        script = """
          const boxes = document.querySelectorAll('.tools input');
          boxes[1].click();
        """
        colours = self.drawn(self.with_script(page, script + self.ONLY_LINES), 800)
        self.assertIn(self.LIGHT[0], colours)
        self.assertNotIn(self.LIGHT[1], colours)

    @needs_chromium
    def test_a_name_full_of_markup_is_only_a_name(self):
        evil = "</script><img src=x onerror=console.error('evil')><!-- \"' &"
        page = self.make(report_runs.comparison({evil: 1, "headroom": 2.5}, reference=evil)) / "compare.html"
        dom = self.browse(page, 800, "--dump-dom")
        self.assertEqual(Elements(dom).found.get("canvas"), 2 * self.CHARTS)
        self.assertIsNone(Elements(dom).found.get("img"))

    @needs_chromium
    def test_runs_that_lack_what_others_have(self):
        comparison = report_runs.comparison(self.FACTORS, repeats=2)
        comparison["runs"][0]["partial"] = True
        comparison["runs"][1]["result"]["device"] = {"label": "emulated device", "per_second": [], "total": None}
        comparison["runs"].append({"policy": "nothing", "repeat": 1, "partial": True, "result": None})
        comparison["runs"].append({"policy": "short", "repeat": 1, "partial": True,
                                   "result": report_runs.result(1, 1, length=7)})
        page = self.make(comparison) / "compare.html"
        self.assertEqual(Elements(self.browse(page, 800, "--dump-dom")).found.get("canvas"), 2 * self.CHARTS)


if __name__ == "__main__":
    unittest.main()
