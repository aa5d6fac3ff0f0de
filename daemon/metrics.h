// The daemon's state as Prometheus text (exposition format 0.0.4); docs/metrics.md lists every
// name. Base units, `_total` for counters.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/status.h"

namespace rocktune::daemon {

// Writes one exposition. Families must be finished one after the other.
class PrometheusText {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

  // `type` is "counter" or "gauge".
  void family(std::string_view name, std::string_view type, std::string_view help);
  // A sample of the family begun last; not finite values are left out.
  void sample(const Labels& labels, double value);
  // The same with labels as they are written: "{target=\"orders\"}".
  void sample_of(std::string_view labels, double value);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_, name_;
};

// Label values: backslash, quote and newline escaped; help texts: backslash and newline.
std::string escape_label(std::string_view value);
std::string escape_help(std::string_view value);

// The unit that a feature's name ends in, turned into the base unit that Prometheus wants:
// "read_p99_us" -> {"read_p99_seconds", 1e-6}.
struct MetricName {
  std::string name;
  double factor = 1;
};
MetricName feature_metric(std::string_view feature);

std::string metrics_text(const Status& status);

}  // namespace rocktune::daemon
