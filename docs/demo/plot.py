#!/usr/bin/env python3
"""Draws README's picture from the results of `./dev demo`: static beside tuned, second by second.

Usage: plot.py DIRECTORY_OF_THE_DEMO OUT.svg      (needs matplotlib)
"""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)

STATIC, TUNED = "#8a8f98", "#d9480f"


def seconds(result):
    return [second for phase in result["phases"] for second in phase["per_second"]]


def main(directory, out):
    plt.rcParams.update({"svg.hashsalt": "rocktune", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    figure, axes = plt.subplots(4, 1, figsize=(8, 8), sharex=True, layout="constrained")
    ratio = {}
    for name, colour in (("static", STATIC), ("tuned", TUNED)):
        result = json.loads((pathlib.Path(directory) / name / "run.json").read_text())
        rows = seconds(result)
        time = range(1, len(rows) + 1)
        ratio[name] = result["total"]["ops_per_second"]
        curves = (
            [row["ops_per_second"] / 1000 for row in rows],
            [max(row["operations"].get("update", {}).get("p99_us", 0) / 1000, 0.01) for row in rows],
            [row["l0_files"] for row in rows],
            [row["knobs"]["rate_limiter_bytes_per_second"] / 1e6 for row in rows],
        )
        for axis, curve in zip(axes, curves):
            axis.plot(time, curve, color=colour, label=name, linewidth=1.6)
    burst = len(json.loads((pathlib.Path(directory) / "static" / "run.json").read_text())["phases"][0]["per_second"])
    for axis, title in zip(axes, ("throughput, 1000 ops/s", "update P99, ms (log)", "files in L0 (writes slow at 20)", "I/O limit, MB/s (log)")):
        axis.set_title(title, loc="left", fontsize=9)
        axis.axvline(burst, color="#ced4da", linewidth=1, zorder=0)
        axis.grid(axis="y", color="#e9ecef")
    axes[1].set_yscale("log")
    axes[3].set_yscale("log")
    axes[2].axhline(20, color="#ced4da", linestyle="--", linewidth=1)
    axes[0].text(burst - 0.5, 0.5, "write burst begins", fontsize=8, ha="right", color="#868e96",
                 transform=axes[0].get_xaxis_transform())
    axes[0].legend(loc="upper left", frameon=False, ncols=2)
    axes[3].yaxis.set_major_formatter("{x:g}")
    axes[3].yaxis.set_minor_formatter("{x:g}")
    axes[-1].set_xlabel("seconds")
    figure.suptitle(f"Mild-Pressure on an emulated NVMe: static {ratio['static']:,.0f} ops/s, tuned {ratio['tuned']:,.0f} ops/s "
                    f"({ratio['tuned'] / ratio['static']:.1f}x)", fontsize=10)
    figure.savefig(out, metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
