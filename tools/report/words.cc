#include "tools/report/words.h"

#include <algorithm>

#include "model/text.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

std::string share_of(double part, double whole) {
  return whole > 0 ? percent_text(part / whole) : "0 %";
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

template <class Key>
std::uint64_t sum_of(const std::map<Key, std::uint64_t>& counts) {
  std::uint64_t sum = 0;
  for (const auto& [key, count] : counts) sum += count;
  return sum;
}

template <class Key>
std::uint64_t count_of(const std::map<Key, std::uint64_t>& counts, const Key& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

// "2 l0_files, 1 memtables": the commonest first.
std::string told_counts(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::pair<std::string, std::uint64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [name, count] : sorted) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + printable(name);
  }
  return text;
}

std::string target_words(const Recording& recording) {
  const trace::TargetInfo& info = recording.target().info;
  const Totals& totals = recording.totals();
  std::string text = printable(recording.called());
  if (info.path != info.name) text += " (" + printable(info.path) + ")";
  const auto& incarnations = recording.target().incarnations;
  if (!incarnations.empty() && !incarnations.back().rocksdb_version.empty()) {
    text += ", RocksDB " + printable(incarnations.back().rocksdb_version);
  }
  text += ", in mode " + info.mode + " under policy " + info.engine.policy + ": " +
          seconds_text(totals.seconds) + " recorded, the database read in " +
          std::to_string(totals.samples) + " of " + std::to_string(totals.due) + " polls";
  if (totals.reopened > 0) text += ", opened anew " + counted(totals.reopened, "time", "times");
  return text + ".";
}

void add_rate(const char* what, const Known& known, std::vector<std::string>& parts) {
  const auto mean = known.mean();
  if (!mean || known.most <= 0) return;
  parts.push_back(count_text(*mean) + " " + what + "/s (at most " + count_text(known.most) + ")");
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  }
  return text;
}

std::string load_words(const Totals& totals) {
  std::vector<std::string> parts;
  add_rate("reads", totals.reads, parts);
  add_rate("writes", totals.writes, parts);
  add_rate("seeks", totals.seeks, parts);
  const bool known = totals.reads.mean() || totals.writes.mean() || totals.seeks.mean();
  std::string text = !parts.empty() ? "It did " + joined(parts) + "."
                     : known        ? "No operation was seen."
                                    : "What it was asked for is not recorded.";
  const auto user = totals.user_bytes.mean();
  if (user && *user > 0) {
    text += " Users wrote " + rate_text(*user);
    const auto flushed = totals.flushed_bytes.mean(), compacted = totals.compacted_bytes.mean();
    if (flushed && compacted) {
      text += ", flushes and compactions " + rate_text(*flushed + *compacted) +
              " (write amplification " + text::number((*flushed + *compacted) / *user, 1) + ")";
    }
    text += ".";
  }
  if (const auto busy = totals.device_busy.mean()) {
    text += " The device was busy " + percent_text(*busy) + " of the time.";
  }
  return text;
}

std::string latency_words(const char* what, const LatencyTotal& latency, double slo_seconds,
                          bool reopened) {
  const Value p99 = latency.p99_us();
  if (!p99) return "";
  std::string text = std::string("P99 of ") + what + (reopened ? ", since the last opening," : "") +
                     " was " + microseconds_text(*p99) + " (SLO " +
                     microseconds_text(slo_seconds * 1e6) + "; ";
  const Known& above = latency.above();
  if (above.amount <= 0) return text + "no interval was above it). ";
  return text + "above it for " + seconds_text(above.amount) + ", " +
         share_of(above.amount, above.seconds) + "). ";
}

std::string stall_words(const Totals& totals) {
  if (totals.held_back.seconds <= 0) return "Whether writes were held back is not recorded.";
  std::string text = "Writes were never held back.";
  if (totals.held_back.amount > 0) {
    text = "Writes were held back (delayed or stopped) for " +
           seconds_text(totals.held_back.amount) + ", " +
           share_of(totals.held_back.amount, totals.held_back.seconds) + " of the time.";
  }
  if (!totals.stalls.empty()) {
    text += " RocksDB told of " + counted(sum_of(totals.stalls), "stall", "stalls") +
            ", by cause: " + told_counts(totals.stalls) + ".";
  }
  return text;
}

std::string alert_words(const Recording& recording) {
  const std::uint64_t raised = sum_of(recording.totals().raised);
  if (raised == 0) return "No warning was given.";
  std::uint64_t judged_true = 0, judged_false = 0, unwarned = 0;
  for (const auto& [indicator, totals] : recording.alert_scores().totals()) {
    judged_true += totals.count(AlertFate::kTrue);
    judged_false += totals.false_alarms();
    unwarned += totals.count(AlertFate::kUnwarned);
  }
  return counted(raised, "alert was", "alerts were") + " raised (" +
         told_counts(recording.totals().raised) + "): of those that cleared, " +
         std::to_string(judged_true) + " came true in time, " + std::to_string(judged_false) +
         " were false, and " + std::to_string(unwarned) + " came with the event itself.";
}

std::string decision_words(const Recording& recording) {
  const Totals& totals = recording.totals();
  if (totals.verdicts.empty()) return "Nothing was decided.";
  const std::uint64_t allowed = count_of(totals.verdicts, VerdictKind::kAllowed) +
                                count_of(totals.verdicts, VerdictKind::kClamped);
  const std::uint64_t applied = count_of<std::string>(totals.actuations, "applied");
  const bool acts = applied > 0 || recording.target().info.mode == "act";
  std::string text = "The policy proposed " +
                     counted(sum_of(totals.verdicts), "change", "changes") + ": " +
                     std::to_string(allowed) + " allowed by the guard, " +
                     (acts ? std::to_string(applied) : std::string("none")) + " applied" +
                     (acts ? "." : ", since it was advice.");
  if (!totals.outcomes.empty()) text += " Outcomes: " + told_counts(totals.outcomes) + ".";
  return text;
}

std::string knob_words(const Recording& recording) {
  std::vector<std::string> parts;
  for (const KnobTrack& track : recording.knobs().tracks()) {
    if (track.steps == 0) continue;
    parts.push_back(track.title() + " from " + knob_text(track.name, track.first) + " to " +
                    knob_text(track.name, track.last) + " in " +
                    counted(track.steps, "step", "steps"));
  }
  return parts.empty() ? "No knob moved." : "Knobs that moved: " + joined(parts) + ".";
}

}  // namespace

std::vector<page::Paragraph> summary_words(const Recording& recording) {
  const Totals& totals = recording.totals();
  const Objective& objective = recording.target().info.engine.objective;
  const bool reopened = totals.reopened > 0;
  std::vector<page::Paragraph> words = {{target_words(recording)}, {load_words(totals)}};
  const std::string latencies =
      latency_words("reads", totals.read, objective.read_p99_seconds, reopened) +
      latency_words("writes", totals.write, objective.write_p99_seconds, reopened);
  if (!latencies.empty()) words.push_back({latencies, true});
  words.push_back({stall_words(totals), true});
  words.push_back({alert_words(recording) + " " + decision_words(recording), true});
  words.push_back({knob_words(recording)});
  return words;
}

std::vector<std::string> missing_words(const Recording& recording) {
  std::vector<std::string> words;
  const std::vector<ChartSpec>& charts = chart_specs();
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const std::vector<std::size_t>& series = recording.series()[i];
    const bool empty = std::all_of(series.begin(), series.end(),
                                   [&](std::size_t one) { return recording.bins().is_empty(one); });
    if (empty && !charts[i].missing.empty()) {
      words.push_back("Not recorded: " + charts[i].missing + ".");
    }
  }
  return words;
}

}  // namespace rocktune::tools
