"""Runs as `rocktune-bench compare` would have them, made up by formula: what the test of the reports reads."""

import math

LIMIT_US = 5000


def second(i, factor, wobble):
    """The second that ends at i + 1; `factor` stands for how well the policy copes with the burst at 20 s."""
    burst = 20 <= i < 40
    ops = (3000 if not burst else 9000 * factor) * wobble * (1 + 0.05 * math.sin(i))
    read_p99 = 900 if not burst else 9000 / factor
    pending = 0 if not burst else (i - 19) * 3e7 / factor
    return {
        "start_seconds": i * 1.0003, "seconds": 1.0003, "operations_done": int(ops), "operations_never_started": 0,
        "ops_per_second": ops,
        "operations": {
            "read": {"count": int(ops / 2), "p50_us": 150, "p99_us": read_p99 * wobble, "p999_us": read_p99 * 3},
            "update": {"count": int(ops / 2), "p50_us": 40, "p99_us": read_p99 * 1.5, "p999_us": read_p99 * 4},
        },
        "stall_seconds": 0 if not burst else 2 / factor,
        "pending_compaction_bytes": pending, "l0_files": 2 if not burst else min(20, 2 + (i - 19) / factor),
        "knobs": {
            "rate_limiter_bytes_per_second": 13107200 * (1 if factor <= 1 or i < 24 else 4),
            "max_background_jobs": 2 if factor <= 1 or i < 27 else 4,
            "block_cache_capacity_bytes": 33554432,
        },
    }


def total(seconds):
    count = len(seconds)
    mean = lambda path: sum(path(one) for one in seconds) / count  # noqa: E731
    latency = lambda kind: {key: max(one["operations"][kind][key] for one in seconds)  # noqa: E731
                            for key in ("p50_us", "p99_us", "p999_us")}
    return {
        "start_seconds": seconds[0]["start_seconds"], "seconds": sum(one["seconds"] for one in seconds),
        "ops_per_second": mean(lambda one: one["ops_per_second"]), "operations_never_started": 0,
        "operations": {"read": latency("read"), "update": latency("update")},
        "stall_seconds": sum(one["stall_seconds"] for one in seconds),
        "user_bytes_written": 4e8, "flush_bytes_written": 5e8, "compaction_bytes_written": 2.3e9,
        "write_amplification": 7, "pending_compaction_bytes": seconds[-1]["pending_compaction_bytes"],
    }


def result(factor, wobble, length=60, databases=("",)):
    per_second = [second(i, factor, wobble) for i in range(length)]
    phases = [{"name": name, "proportions": {"read": 0.5, "update": 0.5}, "total": total(per_second[start:end]),
               "per_second": per_second[start:end]}
              for name, start, end in (("calm", 0, 20), ("burst", 20, 40), ("calm again", 40, 60)) if start < length]
    device = [{"start_seconds": one["start_seconds"], "seconds": one["seconds"],
               "utilisation": min(1.0, one["ops_per_second"] / 9000),
               "queue": one["ops_per_second"] / 700, "read_bytes_per_second": one["ops_per_second"] * 2000,
               "write_bytes_per_second": one["ops_per_second"] * 900}
              for one in per_second]
    device_total = {"read_bytes": sum(one["read_bytes_per_second"] for one in device),
                    "write_bytes": sum(one["write_bytes_per_second"] for one in device)}
    return {
        "schema": "rocktune-bench/2", "rocksdb_version": "7.8.3", "cpus": 2,
        "scenario": {"name": "write-burst", "description": "Writes burst over reads that must stay fast."},
        "objective": {"limits": [{"metric": "read_p99", "operation": "read", "percentile": "p99_us", "limit_us": LIMIT_US}],
                      "first": "read_p99"},
        "device": {"label": "emulated device", "name": "nvme-p41", "per_second": device, "total": device_total},
        "databases": [{"name": name or "db", "workload": {"seed": 42}, "phases": phases, "total": total(per_second)}
                      for name in databases],
    }


def events(name):
    return [{"seconds": 23.4, "text": f"{name}: rate_limiter 12.5 MiB/s -> 50 MiB/s (writes stall)"},
            {"seconds": 26.5, "text": f"{name}: max_background_jobs 2 -> 4 (compaction falls behind)"}]


def comparison(factors, repeats=3, reference="static", wobble=0.004, **options):
    """factors: policy -> how well it copes."""
    runs = []
    for index, (policy, factor) in enumerate(factors.items()):
        for repeat in range(1, repeats + 1):
            run = {"policy": policy, "repeat": repeat,
                   "result": result(factor, 1 + wobble * math.sin(7 * repeat + index), **options)}
            if policy != reference:
                run.update(daemon_cpu_seconds=0.31 + 0.01 * repeat, changes=2, events=events("db"))
            runs.append(run)
    return {"title": "Policies on scenario write-burst", "reference": reference, "runs": runs,
            "command": "rocktune-bench compare --scenario write-burst --policies " + ",".join(factors)}
