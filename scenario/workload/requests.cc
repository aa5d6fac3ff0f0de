#include "scenario/workload/requests.h"

namespace rocktune::scenario {

Request RequestSource::next(double seconds) {
  Request request;
  request.operation = phase_.mix.at(random_.uniform());
  switch (request.operation) {
    case Operation::kInsert:
      request.record = inserted_.record(inserted_.count++);
      break;
    default:
      request.record = keys_.next(random_, seconds, inserted_);
  }
  switch (request.operation) {
    case Operation::kUpdate:
    case Operation::kInsert:
    case Operation::kReadModifyWrite:
      request.value_bytes = phase_.value_size.at(random_.uniform());
      request.value_seed = random_.next();
      break;
    case Operation::kScan:
      request.scan_length = phase_.scan_length.at(random_.uniform());
      break;
    case Operation::kRead:
    case Operation::kDelete:
    case Operation::kReadMissing:
      break;
  }
  return request;
}

std::int64_t loaded_value_bytes(const Workload& workload, std::uint64_t record) {
  Random random(fnv_hash(record) + static_cast<std::uint64_t>(workload.seed));
  return workload.value_size.at(random.uniform());
}

}  // namespace rocktune::scenario
