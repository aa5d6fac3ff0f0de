#include "scenario/workload/mix.h"

#include <cmath>

namespace rocktune::scenario {

Mix Mix::of(double read, double update, double read_modify_write) {
  Mix mix;
  mix[Operation::kRead] = read;
  mix[Operation::kUpdate] = update;
  mix[Operation::kReadModifyWrite] = read_modify_write;
  return mix;
}

Operation Mix::at(double u) const {
  std::size_t last = 0;
  for (std::size_t i = 0; i < kOperations; ++i) {
    if (shares[i] <= 0) continue;
    last = i;
    u -= shares[i];
    if (u < 0) break;
  }
  return static_cast<Operation>(last);  // rounding may leave u a little above the last share
}

Result<Mix> ycsb_mix(const std::string& letter) {
  if (letter == "A" || letter == "a") return Mix::of(0.5, 0.5);
  if (letter == "B" || letter == "b") return Mix::of(0.95, 0.05);
  if (letter == "C" || letter == "c") return Mix::of(1, 0);
  if (letter == "F" || letter == "f") return Mix::of(0.5, 0, 0.5);
  Mix mix;
  mix[Operation::kInsert] = 0.05;
  if (letter == "D" || letter == "d") {
    mix[Operation::kRead] = 0.95;
    return mix;
  }
  if (letter == "E" || letter == "e") {
    mix[Operation::kScan] = 0.95;
    return mix;
  }
  return fail(ErrorCode::kInvalidArgument,
              "'" + letter + "' is no YCSB workload: give A, B, C, D, E or F");
}

void read_proportions(MapReader& map, const std::string& key, Problems& problems, Mix& out) {
  const auto node = map.node(key);
  if (!node) return;
  MapReader shares(*node, problems, map.qualified(key) + ".");
  double sum = 0;
  for (std::size_t i = 0; i < kOperations; ++i) {
    shares.number(std::string(kOperationNames[i]), out.shares[i], {0, 1});
    sum += out.shares[i];
  }
  shares.finish();
  if (shares.is_map() && std::abs(sum - 1) > 1e-6) {
    map.problem(key, "must add up to 1, not " + std::to_string(sum));
  }
}

}  // namespace rocktune::scenario
