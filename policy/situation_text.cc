// What loops say about the situation: proposals' reasons, evidence and expectations.
#include "model/text.h"
#include "model/write_stall.h"
#include "policy/memory.h"
#include "policy/situation.h"

namespace rocktune {
namespace {

std::string describe_pressure(const Situation& situation) {
  const Features& f = situation.features;
  const std::string& cause = situation.backlog_cause;
  if (cause == "l0" && f.l0_files && f.l0_slowdown_files) {
    return "L0 has " + text::amount(*f.l0_files) + " of " + text::amount(*f.l0_slowdown_files) +
           " files";
  }
  if (cause == "memtables" && situation.memtable_ratio && f.max_write_buffers) {
    return text::amount(*situation.memtable_ratio * *f.max_write_buffers) + " of " +
           text::amount(*f.max_write_buffers) + " memtables wait for their flush on average";
  }
  if (cause == "pending_bytes" && f.pending_bytes) {
    return text::bytes(*f.pending_bytes) + " wait for compaction";
  }
  return "writes wait";
}

}  // namespace

std::string backlog_text(const Situation& situation) {
  if (auto stall = find_write_stall(situation.features)) return stall->sentence;
  if (situation.stalled) return "writes stalled within 3 s; " + describe_pressure(situation);
  // An alert outlasts what raised it for some seconds, in which no limit need be near.
  return (situation.trouble ? "compaction_backlog warns; " : "") + describe_pressure(situation);
}

Proposal propose(const KnobReading& reading, std::int64_t to, std::string_view rule) {
  Proposal out;
  out.knob = reading.name;
  out.column_family = reading.column_family;
  out.from = reading.value;
  out.to = to;
  out.rule = rule;
  return out;
}

Value feature_of(const Features& features, std::string_view name) {
  Value found;
  Features::visit_values(features, [&](std::string_view one, const Value& value) {
    if (one == name) found = value;
  });
  return found;
}

Expectation expect_fewer_writes(const Situation& situation, double window_seconds) {
  if (situation.write_amplification) {
    return {"write_amplification", true, situation.write_amplification, window_seconds};
  }
  return no_more_stalls(situation, window_seconds);
}

Expectation no_more_stalls(const Situation& situation, double window_seconds) {
  return {"stalled_ratio", true, situation.stalled_ratio, window_seconds};
}

Expectation expect_relief(const Situation& situation, double window_seconds) {
  const Features& f = situation.features;
  auto expect = [&](const char* feature, const Value& baseline) {
    if (!baseline) return no_more_stalls(situation, window_seconds);
    return Expectation{feature, true, baseline, window_seconds};
  };
  if (situation.stalled_ratio.value_or(0) >= kStalledOver3s) {
    return expect("stalled_ratio", situation.stalled_ratio);
  }
  if (situation.backlog_cause == "memtables") {
    return expect("memtable_ratio", situation.memtable_ratio);
  }
  if (situation.backlog_cause == "pending_bytes") return expect("pending_bytes", f.pending_bytes);
  return expect("l0_ratio", situation.l0_ratio);
}

std::vector<Driver> backlog_evidence(const Situation& situation) {
  const Features& f = situation.features;
  std::vector<Driver> out;
  auto add = [&out](const char* name, const Value& value, const Value& limit) {
    if (value) out.push_back({name, *value, limit});
  };
  add("l0_files", f.l0_files, f.l0_slowdown_files);
  add("pending_bytes", f.pending_bytes, first_pending_limit(f));
  add("immutable_memtables", f.immutable_memtables, f.max_write_buffers);
  add("stalled_ratio", lost_share(f), std::nullopt);
  add("limiter_use_ratio", f.limiter_use_ratio, std::nullopt);
  add("running_compactions", f.running_compactions, std::nullopt);
  return out;
}

std::vector<Driver> full_device_evidence(const Situation& situation) {
  const Features& f = situation.features;
  std::vector<Driver> out = backlog_evidence(situation);
  const Objective& objective = situation.objective;
  const double await_limit_ms = objective.device_await_limit_seconds * 1e3;
  if (f.device_queue) {
    out.push_back({"device_queue", *f.device_queue, objective.device_queue_limit});
  }
  if (f.device_read_await_ms) {
    out.push_back({"device_read_await_ms", *f.device_read_await_ms, await_limit_ms});
  }
  if (f.io_limit_use_ratio) {
    out.push_back({"io_limit_use_ratio", *f.io_limit_use_ratio, std::nullopt});
  }
  return out;
}

std::vector<Driver> slow_evidence(const Situation& situation, Side side) {
  std::vector<Driver> out = full_device_evidence(situation);
  if (const Value p99_us = situation.p99_us(side)) {
    out.insert(out.begin(), {p99_feature(side), *p99_us, p99_slo_us(situation.objective, side)});
  }
  return out;
}

std::string interference_text(const Situation& situation) {
  return situation.device_busy ? "compactions keep the device busy"
                               : "compactions use up what the control group may read and write";
}

std::string short_memory_text(const Situation& situation) {
  const Value& available = situation.features.memory_available_bytes;
  return "memory is short: " + (available ? text::bytes(*available) + " available, and " : "") +
         "tasks waited for it " + text::percent(situation.memory_pressure.value_or(0)) +
         " of the time";
}

Expectation expect_less_pressure(const Situation& situation, double window_seconds) {
  return {"memory_pressure_ratio", true, situation.memory_pressure, window_seconds};
}

std::vector<Driver> memory_evidence(const Features& f) {
  std::vector<Driver> out;
  if (f.memory_available_bytes) {
    out.push_back({"memory_available_bytes", *f.memory_available_bytes, std::nullopt});
  }
  if (f.memory_pressure_ratio) {
    out.push_back({"memory_pressure_ratio", *f.memory_pressure_ratio, kMemoryPressure});
  }
  return out;
}

}  // namespace rocktune
