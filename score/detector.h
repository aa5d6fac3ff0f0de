// Detector: what is compared as an early warning. Fed sample by sample in order, it gives a score
// for each indicator and horizon: the higher, the likelier is the event. An alarm is raised where
// the score reaches a threshold (score/events.h), so a detector knows no threshold of its own. Pure
// and deterministic; state is bounded.
//
// Scores of scale kShare are a share of the limit, now or forecast: of the slowdown trigger for L0,
// of the SLO for P99, of the objective's queue or await for the device. That makes a threshold mean
// the same in databases with other limits: L0 >= 14 of 20 files is 0.7.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/features.h"
#include "model/indicators.h"
#include "model/objective.h"
#include "model/result.h"
#include "model/sample.h"

namespace rocktune::score {

class Detector {
 public:
  virtual ~Detector() = default;
  virtual void update(const Features& features, const Sample& sample) = 0;
  // After the last update, for an event within `horizon` seconds; absent: nothing can be said now.
  [[nodiscard]] virtual std::optional<double> score(IndicatorKind kind,
                                                    std::size_t horizon) const = 0;
};

enum class Scale {
  kSilent,       // never says anything, which is a forecast of probability 0
  kState,        // 0 or 1 (at least): the detector decides by itself, threshold 1
  kShare,        // of the limit; the threshold is chosen
  kProbability,  // the threshold is chosen
};

struct DetectorSpec {
  std::string_view name;
  std::string_view what;  // one line for people
  Scale scale;
  bool backlog_only;  // says nothing of p99 and device_saturation
};

// In the order of the tables; never empty.
const std::vector<DetectorSpec>& detector_specs();
const DetectorSpec* find_detector(std::string_view name);
[[nodiscard]] bool covers(const DetectorSpec& spec, IndicatorKind kind);
[[nodiscard]] bool gives_probability(const DetectorSpec& spec);

// For a target with this objective, asked for these horizons (s). `spec` is one of
// detector_specs(); `prior` is what rocktune's own ones begin with, null for nothing learnt.
std::unique_ptr<Detector> make_detector(const DetectorSpec& spec, const Objective& objective,
                                        const std::vector<std::size_t>& horizons,
                                        const Learnt* prior = nullptr);

// A detector as the user chose it: "static" (its threshold is chosen on earlier runs) or
// "static=0.7" (a fixed one).
struct DetectorChoice {
  const DetectorSpec* spec = nullptr;
  std::optional<double> threshold;
  std::string label;  // as written
};
// Errors: an unknown name (the known ones are listed), a threshold that is no number or that the
// detector does not take.
Result<DetectorChoice> parse_choice(std::string_view text);

}  // namespace rocktune::score
