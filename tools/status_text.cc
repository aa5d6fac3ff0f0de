#include "tools/status_text.h"

#include <algorithm>
#include <optional>

#include "tools/alert_text.h"
#include "tools/indicator_rows.h"
#include "tools/json_fields.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

using Lines = std::vector<std::string>;
using Rows = std::vector<std::vector<std::string>>;

// Sentences of parts that are there, with two spaces between them.
class Parts {
 public:
  Parts& add(const std::string& part) {
    if (!part.empty()) line_ += (line_.empty() ? "" : "   ") + part;
    return *this;
  }
  void to(Lines& lines, const std::string& head) const {
    if (!line_.empty()) lines.push_back(head + line_);
  }

 private:
  std::string line_;
};

void add_daemon(const Json& daemon, Lines& lines) {
  std::string head = "rocktuned " + text_at(daemon, "version");
  head += "   mode " + text_at(daemon, "mode") + "   policy " + text_at(daemon, "policy");
  if (const auto pid = number_at(daemon, "pid"))
    head += "   pid " + std::to_string(static_cast<long long>(*pid));
  if (const auto interval = number_at(daemon, "poll_interval_seconds")) {
    head += "   every " + seconds_text(*interval);
  }
  lines.push_back(head + "   since " + text_at(daemon, "started"));
  if (const auto frozen = daemon.find("frozen"); frozen != daemon.end() && frozen->is_object()) {
    const std::string until = text_at(*frozen, "until");
    lines.push_back("FROZEN     nothing is changed while " + text_at(*frozen, "file") +
                    " is there" + (until.empty() ? "" : ", until " + until));
  }
  for (const char* file : {"trace", "alert_log"}) {
    const std::string path = text_at(daemon, file);
    if (path.empty()) continue;
    const bool is_trace = file == std::string("trace");
    const std::string oldest = is_trace ? text_at(daemon, "trace_reaches_back_to") : "";
    lines.push_back((is_trace ? "trace      " : "alert log  ") + path +
                    (oldest.empty() ? "" : ", full: reaches back to " + oldest));
  }
  if (const std::string why = text_at(daemon, "trace_failing"); !why.empty()) {
    lines.push_back("NOT RECORDED  " + why);
  }
  if (const auto failing = daemon.find("alert_log_failing");
      failing != daemon.end() && failing->is_object()) {
    const auto lost = static_cast<long long>(number_at(*failing, "lines_lost").value_or(0));
    const std::string why = text_at(*failing, "reason"), since = text_at(*failing, "since");
    lines.push_back(lost == 0 ? "NOT REOPENED  " + why + "; since " + since +
                                    " its lines go to the file that was open before"
                              : "NOT LOGGED    " + why + "; " + std::to_string(lost) +
                                    (lost == 1 ? " line" : " lines") + " lost since " + since);
  }
}

void add_refusal(const Json& daemon, Lines& lines) {
  const auto refused = daemon.find("reload_refused");
  if (refused == daemon.end() || !refused->is_object()) return;
  lines.push_back("RELOAD REFUSED at " + text_at(*refused, "time") + ": " +
                  text_at(*refused, "problem") + "; the older configuration is in force");
}

// Entries of `targets` that hold for no database so far: the first ones, all are in the JSON.
void add_unmatched(const Json& daemon, Lines& lines) {
  constexpr std::size_t kMostNamed = 3;
  const Json entries = daemon.value("unmatched_targets", Json::array());
  if (entries.empty()) return;
  std::string line;
  for (std::size_t i = 0; i < std::min(entries.size(), kMostNamed); ++i) {
    const auto index = static_cast<long long>(number_at(entries[i], "index").value_or(0));
    line += (i == 0 ? "unmatched  targets[" : ", targets[") + std::to_string(index) + "] (" +
            text_at(entries[i], "path") + ")";
  }
  if (entries.size() > kMostNamed) {
    line += " and " + std::to_string(entries.size() - kMostNamed) + " more";
  }
  lines.push_back(line + ": no such database was opened so far");
}

void add_head(const Json& target, Lines& lines) {
  const std::string name = text_at(target, "name");
  const std::string path = text_at(target, "path");
  std::string line = name + (path == name || path.empty() ? "" : "  (" + path + ")");
  line += "   " + text_at(target, "state");
  if (const std::string since = text_at(target, "waiting_since"); !since.empty()) {
    line += " since " + since;
  }
  line += "   mode " + text_at(target, "mode");
  lines.push_back(line);
  Parts parts;
  const std::string command = text_at(target, "command");
  if (!command.empty()) {
    const auto pid = number_at(target, "pid");
    parts.add(command + (pid ? "[" + std::to_string(static_cast<long long>(*pid)) + "]" : ""));
  }
  const std::string version = text_at(target, "rocksdb_version");
  if (!version.empty()) parts.add("RocksDB " + version);
  const Json none = Json::object();
  const Json& samples = target.contains("samples") ? target["samples"] : none;
  const auto due = number_at(samples, "due");
  const auto recorded = number_at(samples, "recorded");
  if (due && recorded) {
    parts.add("samples recorded " + std::to_string(static_cast<long long>(*recorded)) + " of " +
              std::to_string(static_cast<long long>(*due)));
  }
  if (target.contains("lease") && target["lease"].is_object()) {
    const auto left = number_at(target["lease"], "remaining_seconds");
    parts.add("lease of " + text_at(target["lease"], "holder") +
              (left ? ", " + seconds_text(*left) + " left" : ""));
  }
  parts.to(lines, "  ");
}

void add_health(const Json& target, Lines& lines) {
  if (const std::string why = text_at(target, "why_untunable"); !why.empty()) {
    lines.push_back("  ! " + why);
  }
  if (const auto error = target.find("background_error");
      error != target.end() && error->is_object()) {
    lines.push_back("  ! RocksDB failed in the background at " + text_at(*error, "since") +
                    " and has not recovered: writes may fail: " + text_at(*error, "message"));
  }
  for (const Json& health : target.value("health", Json::array())) {
    const std::string error = text_at(health, "error");
    if (!error.empty()) lines.push_back("  ! " + text_at(health, "source") + ": " + error);
  }
}

// "name 1.2 ms" of the features that are there.
class Figures {
 public:
  explicit Figures(const Json& features) : features_(features) {}
  std::string one(const std::string& label, const char* feature) const {
    const auto value = number_at(features_, feature);
    return value ? label + " " + feature_text(feature, *value) : "";
  }
  std::string some(const std::string& label, const char* feature) const {  // not of none
    return number_at(features_, feature).value_or(0) > 0 ? one(label, feature) : "";
  }
  std::string ratio(const std::string& label, const char* feature) const {
    const auto value = number_at(features_, feature);
    return value ? label + " " + percent_text(*value) : "";
  }
  std::string of(const std::string& label, const char* feature, const char* limit) const {
    std::string text = one(label, feature);
    const auto bound = number_at(features_, limit);
    return text.empty() || !bound ? text : text + of_limit(limit, *bound);
  }

 private:
  const Json& features_;
};

void add_indicators(const Json& target, Lines& lines) {
  const Lines aligned = table(indicator_rows(target.value("indicators", Json::array())));
  lines.insert(lines.end(), aligned.begin(), aligned.end());
}

// The time that a stall takes is counted when it ends: until then nothing but this tells of it.
std::string held_back_text(const Json& features) {
  if (number_at(features, "write_stopped").value_or(0) > 0) return "writes stopped";
  const auto rate = number_at(features, "delayed_bytes_per_second");
  return rate ? "writes delayed to " + rate_text(*rate) : "";
}

void add_features(const Json& target, Lines& lines) {
  const Json features = target.value("features", Json::object());
  const Figures f(features);
  const bool soft_is_off = number_at(features, "pending_soft_bytes") == 0.0;
  Parts()
      .add(f.one("reads", "reads_per_second"))
      .add(f.one("p99", "read_p99_us"))
      .add(f.some("seeks", "seeks_per_second"))
      .add(f.one("writes", "writes_per_second"))
      .add(f.one("p99", "write_p99_us"))
      .add(f.ratio("stalled", "stalled_ratio"))
      .add(held_back_text(features))
      .to(lines, "  load    ");
  Parts()
      .add(f.of("L0", "l0_files", "l0_slowdown_files"))
      .add(f.of("pending", "pending_bytes",
                soft_is_off ? "pending_hard_bytes" : "pending_soft_bytes"))
      .add(f.of("memtables", "immutable_memtables", "max_write_buffers"))
      .add(f.one("flush", "flush_bytes_per_second"))
      .add(f.one("compaction", "compaction_write_bytes_per_second"))
      .to(lines, "  LSM     ");
  Parts()
      .add(f.ratio("hits", "cache_hit_ratio"))
      .add(f.of("used", "cache_usage_bytes", "cache_capacity_bytes"))
      .to(lines, "  cache   ");
  Parts()
      .add(f.one("read", "device_read_bytes_per_second"))
      .add(f.one("write", "device_write_bytes_per_second"))
      .add(f.one("queue", "device_queue"))
      .add(f.one("read await", "device_read_await_ms"))
      .add(f.one("write await", "device_write_await_ms"))
      .to(lines, "  device  ");
}

// "rocktune (pinned 8)", "found (frozen)": with what the configuration says of it.
std::string owner_text(const Json& knob) {
  const std::string owner = text_at(knob, "owner");
  const auto pin = knob.find("pinned");
  if (pin != knob.end() && pin->is_number_integer()) {
    return owner + " (pinned " + knob_text(text_at(knob, "name"), pin->get<std::int64_t>()) + ")";
  }
  return knob.value("frozen", false) ? owner + " (frozen)" : owner;
}

void add_knobs(const Json& target, Lines& lines) {
  Rows rows = {{"knob", "value", "found", "owner", ""}};
  for (const Json& knob : target.value("knobs", Json::array())) {
    const std::string name = text_at(knob, "name");
    const std::string family = text_at(knob, "column_family");
    std::string label = name;
    if (!family.empty()) label.append(" (").append(family).append(")");
    const auto value = [&](const char* key) {
      return knob.contains(key) && knob[key].is_number_integer()
                 ? knob_text(name, knob[key].get<std::int64_t>())
                 : std::string("?");
    };
    rows.push_back(
        {label, value("value"), value("found"), owner_text(knob),
         knob.value("changeable", false) ? "" : "not changeable: " + text_at(knob, "reason")});
  }
  if (rows.size() == 1) return;
  const Lines aligned = table(rows);
  lines.insert(lines.end(), aligned.begin(), aligned.end());
}

// Its slices of what it shares with other databases.
void add_shared(const Json& target, Lines& lines) {
  if (!target.contains("shared") || !target["shared"].is_object()) return;
  const Json& shared = target["shared"];
  const auto whole = [&](const char* key) {
    const auto value = number_at(shared, key);
    return value ? std::to_string(static_cast<long long>(*value)) : std::string("1");
  };
  Parts parts;
  parts.add("with " + whole("host_members") + " on the host, " + whole("device_members") +
            " on the device");
  const auto most = [&](const char* label, const char* key, const char* knob) {
    const auto value = number_at(shared, key);
    if (!value) return;
    parts.add(label + knob_text(knob, static_cast<std::int64_t>(*value)));
  };
  most("jobs up to ", "jobs_max", "max_background_jobs");
  most("memory up to ", "memory_max_bytes", "block_cache_capacity_bytes");
  most("background writes up to ", "background_max_bytes_per_second",
       "rate_limiter_bytes_per_second");
  most("single writes up to ", "write_size_max_bytes", "writable_file_max_buffer_size");
  most("smoothed from ", "smooth_from_bytes_per_second", "rate_limiter_bytes_per_second");
  if (const auto weight = number_at(shared, "weight"); weight && *weight != 1) {
    parts.add("weight " + feature_text("weight", *weight));
  }
  parts.to(lines, "  shares  ");
}

constexpr std::size_t kMostDecisions = 5;

void add_decisions(const Json& target, Lines& lines) {
  const Json decisions = target.value("recent_decisions", Json::array());
  if (decisions.empty()) return;
  lines.emplace_back("  recent decisions");
  const std::size_t first =
      decisions.size() > kMostDecisions ? decisions.size() - kMostDecisions : 0;
  for (std::size_t i = first; i < decisions.size(); ++i) {
    lines.push_back("    " + brief_line(decisions[i]));
  }
}

tl::unexpected<Error> not_understood(const Json::exception& problem) {
  return fail(
      ErrorCode::kProtocol,
      std::string("rocktuned answered what this rocktune does not understand: ") + problem.what());
}

}  // namespace

Result<void> keep_target(Json& status, const std::string& target) {
  if (target.empty()) return {};
  try {
    Json kept = Json::array();
    std::string names;
    for (const Json& one : status.at("targets")) {
      const std::string name = text_at(one, "name");
      names += (names.empty() ? "" : ", ") + name;
      if (is_meant(name, target) || is_meant(text_at(one, "path"), target)) kept.push_back(one);
    }
    if (kept.empty()) {
      return fail(ErrorCode::kNotFound,
                  "no database is called " + target +
                      (names.empty() ? "; there is none" : "; there are " + names));
    }
    status["targets"] = std::move(kept);
    return {};
  } catch (const Json::exception& problem) {
    return not_understood(problem);
  }
}

Result<std::vector<std::string>> status_lines(const Json& status) {
  try {
    Lines lines;
    add_daemon(status.at("daemon"), lines);
    add_refusal(status.at("daemon"), lines);
    add_unmatched(status.at("daemon"), lines);
    const Json& targets = status.at("targets");
    if (targets.empty()) {
      const std::string place = text_at(status.at("daemon"), "agent_dir");
      lines.emplace_back();
      lines.emplace_back("no database yet: no agent" + (place.empty() ? "" : " in " + place) +
                         " has one open; start one with `rocktune run -- COMMAND`, or link the "
                         "agent into it (where one runs with it, `rocktune knobs` says why it is "
                         "not seen)");
    }
    for (const Json& target : targets) {
      lines.emplace_back();
      add_head(target, lines);
      add_health(target, lines);
      add_indicators(target, lines);
      add_features(target, lines);
      add_shared(target, lines);
      add_knobs(target, lines);
      add_decisions(target, lines);
    }
    return lines;
  } catch (const Json::exception& problem) {
    return not_understood(problem);
  }
}

}  // namespace rocktune::tools
