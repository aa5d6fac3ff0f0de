#include "daemon/metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "daemon/feature_help.h"
#include "wire/json_writer.h"

namespace rocktune::daemon {
namespace {

std::string number(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("NaN");
}

// One label that is no UTF-8 and Prometheus takes nothing of the whole answer.
std::string escape(std::string_view value, bool quotes) {
  std::string escaped;
  while (!value.empty()) {
    const std::size_t length = wire::utf8_length(value);
    const char c = value.front();
    if (length == 0) {
      escaped += "\xEF\xBF\xBD";
    } else if (c == '\n') {
      escaped += "\\n";
    } else {
      if (c == '\\' || (c == '"' && quotes)) escaped += '\\';
      escaped.append(value.substr(0, length));
    }
    value.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return escaped;
}

// "{target=\"orders\",kind=\"stall\"}"; nothing of none.
std::string label_text(const PrometheusText::Labels& labels) {
  std::string text;
  for (const auto& [label, content] : labels) {
    text += text.empty() ? '{' : ',';
    text.append(label).append("=\"").append(escape(content, true)) += '"';
  }
  return text.empty() ? text : text + '}';
}

double count(std::uint64_t value) {
  return static_cast<double>(value);
}

void one(PrometheusText& out, std::string_view name, std::string_view type, std::string_view help,
         double value) {
  out.family(name, type, help);
  out.sample({}, value);
}

// A counter that appears with its first count has no rate then: those of `known` begin at 0.
void by_label(PrometheusText& out, std::string_view name, std::string_view help,
              std::string_view label, std::map<std::string, std::uint64_t> values,
              std::initializer_list<const char*> known) {
  for (const char* key : known) values.try_emplace(key, 0);
  out.family(name, "counter", help);
  for (const auto& [key, value] : values) out.sample({{label, key}}, count(value));
}

void daemon_metrics(PrometheusText& out, const Status& status) {
  const Counters& c = status.counters;
  out.family("rocktuned_build_info", "gauge", "The daemon's version; always 1.");
  out.sample({{"version", status.version}}, 1);
  one(out, "rocktuned_start_time_seconds", "gauge", "When the daemon was started, Unix time.",
      std::chrono::duration<double>(status.started_wall).count());
  one(out, "rocktuned_poll_interval_seconds", "gauge", "The configured interval between polls.",
      status.poll_interval_seconds);
  one(out, "rocktuned_agents", "gauge", "Agents that answer.", static_cast<double>(status.agents));
  one(out, "rocktuned_polls_due_total", "counter", "Polls that the schedule asked for.",
      count(c.polls_due));
  one(out, "rocktuned_frozen", "gauge", "1 while the freeze file forbids every change.",
      status.frozen ? 1 : 0);
  one(out, "rocktuned_polls_done_total", "counter", "Polls that were made.", count(c.polls_done));
  one(out, "rocktuned_polls_late_total", "counter",
      "Polls that began more than half an interval late.", count(c.polls_late));
  one(out, "rocktuned_samples_due_total", "counter", "Samples that were due, of all targets.",
      count(c.samples_due));
  one(out, "rocktuned_samples_recorded_total", "counter",
      "Samples of the database that were read and recorded.", count(c.samples_recorded));
  by_label(out, "rocktuned_source_errors_total", "Readings that failed, by source.", "source",
           c.source_errors, {"agent", "device", "host"});
  by_label(out, "rocktuned_decisions_total", "Decisions, by the guard's verdict.", "verdict",
           c.decisions, {"allowed", "clamped", "held", "rejected"});
  by_label(
      out, "rocktuned_actuations_total", "What became of allowed decisions, by status.", "status",
      c.actuations,
      {"applied", "unchanged", "advised", "not_sent", "refused", "conflict", "failed", "mismatch"});
  one(out, "rocktuned_alerts_total", "counter", "Alerts that were raised.", count(c.alerts));
  one(out, "rocktuned_reloads_total", "counter", "Configuration reloads that were taken over.",
      count(c.reloads));
  one(out, "rocktuned_reload_failures_total", "counter",
      "Configuration reloads that were refused because of errors.", count(c.reloads_failed));
  one(out, "rocktuned_trace_failures_total", "counter", "Steps that could not be recorded.",
      count(c.trace_failures));
  one(out, "rocktuned_alert_log_failures_total", "counter",
      "Lines that could not be written to the alert log, and times that it could not be opened "
      "anew.",
      count(c.alert_log_failures));
}

void target_metrics(PrometheusText& out, const std::vector<TargetStatus>& targets) {
  out.family("rocktune_target_up", "gauge", "1 while the database is open and answers.");
  for (const TargetStatus& t : targets) {
    out.sample({{"target", t.name}}, t.state == "live" ? 1 : 0);
  }
  out.family("rocktune_background_error", "gauge",
             "1 while RocksDB has failed in the background and not recovered.");
  for (const TargetStatus& t : targets) {
    if (t.state == "waiting") continue;
    out.sample({{"target", t.name}}, t.background_error.empty() ? 0 : 1);
  }
  out.family("rocktune_target_samples_due_total", "counter", "Samples that were due.");
  for (const TargetStatus& t : targets) out.sample({{"target", t.name}}, count(t.due));
  out.family("rocktune_target_samples_recorded_total", "counter",
             "Samples of the database that were read and recorded.");
  for (const TargetStatus& t : targets) out.sample({{"target", t.name}}, count(t.recorded));
  out.family("rocktune_lease_remaining_seconds", "gauge",
             "Until the agent would return the knobs to their found values.");
  for (const TargetStatus& t : targets) {
    if (!t.lease) continue;
    out.sample({{"target", t.name}, {"holder", t.lease->holder}}, t.lease->remaining_seconds);
  }
}

void event_metrics(PrometheusText& out, const std::vector<TargetStatus>& targets) {
  out.family("rocktune_events_total", "counter", "What happened inside the database, by kind.");
  for (const TargetStatus& t : targets) {
    for (const auto& [kind, events] : t.events) {
      out.sample({{"target", t.name}, {"kind", kind}}, count(events));
    }
  }
}

void indicator_metrics(PrometheusText& out, const std::vector<TargetStatus>& targets) {
  using Get = double (*)(const Indicator&);
  const auto all = [&](std::string_view name, std::string_view help, Get get) {
    out.family(name, "gauge", help);
    for (const TargetStatus& t : targets) {
      for (const Indicator& i : t.indicators) {
        if (!i.valid) continue;
        out.sample({{"target", t.name}, {"indicator", to_string(i.kind)}}, get(i));
      }
    }
  };
  all("rocktune_indicator_probability_ratio",
      "Probability that the indicator's limit is crossed within its horizon.",
      [](const Indicator& i) { return i.probability; });
  all("rocktune_indicator_near_probability_ratio",
      "Probability that the limit is crossed within half the horizon: what warns.",
      [](const Indicator& i) { return i.near_probability; });
  all("rocktune_indicator_warn_probability_ratio",
      "The near probability from which on it warns, to keep the budget of false alarms.",
      [](const Indicator& i) { return i.warn_probability; });
  all("rocktune_indicator_state", "0 ok, 1 warning, 2 critical.",
      [](const Indicator& i) { return static_cast<double>(static_cast<int>(i.state)); });
  all("rocktune_indicator_event", "1 while the forecast condition holds.",
      [](const Indicator& i) { return i.event ? 1.0 : 0.0; });
  all("rocktune_indicator_horizon_seconds", "How far ahead the indicator looks.",
      [](const Indicator& i) { return i.horizon_seconds; });
  // Absent while nothing approaches its limit: NaN is left out.
  all("rocktune_indicator_eta_seconds", "Estimated time until the limit is reached.",
      [](const Indicator& i) { return i.eta_seconds.value_or(std::nan("")); });
}

void knob_metrics(PrometheusText& out, const std::vector<TargetStatus>& targets) {
  using Get = double (*)(const KnobReading&);
  // Of column families, of which there may be hundreds with a dozen knobs each, what stands
  // changed.
  std::vector<std::pair<std::string, const KnobReading*>> told;
  for (const TargetStatus& t : targets) {
    for (const KnobReading& k : t.knobs) {
      if (!k.column_family.empty() && k.value == k.found) continue;
      told.emplace_back(
          label_text({{"target", t.name}, {"knob", k.name}, {"column_family", k.column_family}}),
          &k);
    }
  }
  const auto all = [&](std::string_view name, std::string_view help, Get get) {
    out.family(name, "gauge", help);
    for (const auto& [labels, knob] : told) out.sample_of(labels, get(*knob));
  };
  all("rocktune_knob_value", "The knob's value, in the unit that its name says.",
      [](const KnobReading& k) { return static_cast<double>(k.value); });
  all("rocktune_knob_found_value", "Its value before rocktune changed anything.",
      [](const KnobReading& k) { return static_cast<double>(k.found); });
  all("rocktune_knob_manual", "1 when an operator set it and rocktune leaves it alone.",
      [](const KnobReading& k) { return k.owner == KnobOwner::kManual ? 1.0 : 0.0; });
}

void share_metrics(PrometheusText& out, const std::vector<TargetStatus>& targets) {
  using Get = const Counter& (*)(const SharedBudget&);
  const auto all = [&](std::string_view name, std::string_view help, Get get) {
    out.family(name, "gauge", help);
    for (const TargetStatus& t : targets) {
      if (!t.shared || !get(*t.shared)) continue;
      out.sample({{"target", t.name}}, count(*get(*t.shared)));
    }
  };
  all("rocktune_share_host_members", "Databases that share jobs and memory with it, and itself.",
      [](const SharedBudget& s) -> const Counter& { return s.host_members; });
  all("rocktune_share_device_members", "Databases on the same device, itself included.",
      [](const SharedBudget& s) -> const Counter& { return s.device_members; });
  all("rocktune_share_jobs", "Background jobs that it may have at most.",
      [](const SharedBudget& s) -> const Counter& { return s.jobs_max; });
  all("rocktune_share_memory_bytes", "Block cache and write buffers that it may have at most.",
      [](const SharedBudget& s) -> const Counter& { return s.memory_max_bytes; });
  all("rocktune_share_background_bytes_per_second", "The highest rate limit that it may have.",
      [](const SharedBudget& s) -> const Counter& { return s.background_max_bytes_per_second; });
  all("rocktune_share_write_size_bytes", "The largest single write that others' reads bear.",
      [](const SharedBudget& s) -> const Counter& { return s.write_size_max_bytes; });
  all("rocktune_share_smooth_bytes_per_second",
      "The rate that is left to it at least while others' reads wait for what is written at once.",
      [](const SharedBudget& s) -> const Counter& { return s.smooth_from_bytes_per_second; });
}

void feature_metrics(PrometheusText& out, const std::vector<TargetStatus>& targets) {
  Features names;
  Features::visit_values(names, [&](const char* feature, const Value&) {
    const MetricName metric = feature_metric(feature);
    bool begun = false;
    for (const TargetStatus& t : targets) {
      if (!t.features) continue;
      Features::visit_values(*t.features, [&](const char* name, const Value& value) {
        if (std::string_view(name) != feature || !value) return;
        if (!begun) out.family("rocktune_" + metric.name, "gauge", feature_help(feature));
        begun = true;
        out.sample({{"target", t.name}}, *value * metric.factor);
      });
    }
  });
}

}  // namespace

std::string escape_label(std::string_view value) {
  return escape(value, true);
}
std::string escape_help(std::string_view value) {
  return escape(value, false);
}

MetricName feature_metric(std::string_view feature) {
  const auto ends = [&](std::string_view end) {
    return feature.size() > end.size() && feature.substr(feature.size() - end.size()) == end;
  };
  if (ends("_us")) return {std::string(feature.substr(0, feature.size() - 3)) + "_seconds", 1e-6};
  if (ends("_ms")) return {std::string(feature.substr(0, feature.size() - 3)) + "_seconds", 1e-3};
  return {std::string(feature), 1};
}

void PrometheusText::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  text_ += "# HELP " + name_ + " " + escape_help(help) + "\n# TYPE " + name_ + " " +
           std::string(type) + "\n";
}

void PrometheusText::sample(const Labels& labels, double value) {
  if (std::isfinite(value)) sample_of(label_text(labels), value);
}

void PrometheusText::sample_of(std::string_view labels, double value) {
  if (std::isfinite(value)) text_.append(name_).append(labels).append(" " + number(value) + "\n");
}

std::string metrics_text(const Status& status) {
  PrometheusText out;
  daemon_metrics(out, status);
  target_metrics(out, status.targets);
  indicator_metrics(out, status.targets);
  event_metrics(out, status.targets);
  knob_metrics(out, status.targets);
  share_metrics(out, status.targets);
  feature_metrics(out, status.targets);
  return out.text();
}

}  // namespace rocktune::daemon
