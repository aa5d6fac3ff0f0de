#include "score/detector.h"

#include <charconv>
#include <cmath>

#include "score/baselines.h"

namespace rocktune::score {
namespace {

std::string known_names() {
  std::string names;
  for (const DetectorSpec& spec : detector_specs()) {
    names += (names.empty() ? "" : ", ") + std::string(spec.name);
  }
  return names;
}

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

const std::vector<DetectorSpec>& detector_specs() {
  static const std::vector<DetectorSpec> kSpecs = {
      {"never", "no warning at all", Scale::kSilent, false},
      {"recent-event", "no forecast: the same event ended less than 60 s ago", Scale::kState,
       false},
      {"static", "L0 files over the slowdown trigger; P99 over its SLO; queue or await over limit",
       Scale::kShare, false},
      {"static-pending", "pending compaction bytes over the soft limit", Scale::kShare, true},
      {"static-memtables", "immutable memtables over max_write_buffer_number", Scale::kShare, true},
      {"predict-linear", "the same as static, a horizon ahead on a line through 60 s",
       Scale::kShare, false},
      {"holt", "the same as static, a horizon ahead by double exponential smoothing", Scale::kShare,
       false},
      {"compaction-pressure", "RocksDB's own: it speeds compaction up", Scale::kState, true},
      {"rocktune", "the probability that rocktune's indicator gives", Scale::kProbability, false},
      {"rocktune-alerts", "the alerts that rocktune raises", Scale::kState, false},
  };
  return kSpecs;
}

const DetectorSpec* find_detector(std::string_view name) {
  for (const DetectorSpec& spec : detector_specs()) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

bool covers(const DetectorSpec& spec, IndicatorKind kind) {
  return !spec.backlog_only || kind == IndicatorKind::kCompactionBacklog;
}

bool gives_probability(const DetectorSpec& spec) {
  return spec.scale == Scale::kSilent || spec.scale == Scale::kProbability;
}

std::unique_ptr<Detector> make_detector(const DetectorSpec& spec, const Objective& objective,
                                        const std::vector<std::size_t>& horizons,
                                        const Learnt* prior) {
  if (spec.name == "recent-event") return std::make_unique<RecentEventDetector>(objective);
  if (spec.name == "static") return std::make_unique<StaticDetector>(objective);
  if (spec.name == "static-pending") return std::make_unique<PendingDetector>();
  if (spec.name == "static-memtables") return std::make_unique<MemtableDetector>();
  if (spec.name == "predict-linear") return std::make_unique<LinearDetector>(objective);
  if (spec.name == "holt") return std::make_unique<HoltDetector>(objective);
  if (spec.name == "compaction-pressure") return std::make_unique<PressureDetector>();
  if (spec.name == "rocktune" || spec.name == "rocktune-alerts") {
    return std::make_unique<IndicatorDetector>(objective, horizons, spec.scale == Scale::kState,
                                               prior != nullptr ? *prior : Learnt());
  }
  return std::make_unique<NeverDetector>();
}

Result<DetectorChoice> parse_choice(std::string_view text) {
  const auto equals = text.find('=');
  const std::string name(text.substr(0, equals));
  DetectorChoice choice{find_detector(name), std::nullopt, std::string(text)};
  if (choice.spec == nullptr) {
    return fail(ErrorCode::kInvalidArgument,
                "there is no detector \"" + name + "\"; there are: " + known_names());
  }
  if (equals == std::string_view::npos) return choice;
  const bool chosen =
      choice.spec->scale == Scale::kShare || choice.spec->scale == Scale::kProbability;
  if (!chosen) return fail(ErrorCode::kInvalidArgument, "detector " + name + " takes no threshold");
  choice.threshold = number_in(text.substr(equals + 1));
  if (!choice.threshold) {
    return fail(ErrorCode::kInvalidArgument, "the threshold in \"" + std::string(text) +
                                                 "\" is no number; write it as in " + name +
                                                 "=0.7");
  }
  return choice;
}

}  // namespace rocktune::score
