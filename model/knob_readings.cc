#include "model/knob_readings.h"

#include <algorithm>
#include <functional>

namespace rocktune {

std::size_t KnobReadings::KeyHash::operator()(const Key& key) const {
  const std::hash<std::string_view> hash;
  return hash(key.first) * 31 + hash(key.second);
}

KnobReadings::KnobReadings(List readings) : shared_(std::make_shared<Shared>()) {
  shared_->list = std::move(readings);
  for (std::size_t i = 0; i < shared_->list.size(); ++i) {
    const KnobReading& reading = shared_->list[i];
    shared_->index.try_emplace({reading.name, reading.column_family}, i);
  }
}

const KnobReadings::List& KnobReadings::list() const {
  static const List kNone;
  return shared_ ? shared_->list : kNone;
}

const KnobReading* KnobReadings::find(std::string_view name, std::string_view column_family) const {
  const List& all = list();
  if (all.empty()) return nullptr;
  if (!shared_->index.empty()) {
    const auto found = shared_->index.find({name, column_family});
    return found != shared_->index.end() ? &all[found->second] : nullptr;
  }
  const auto found = std::find_if(all.begin(), all.end(), [&](const KnobReading& reading) {
    return reading.name == name && reading.column_family == column_family;
  });
  return found != all.end() ? &*found : nullptr;
}

KnobReadings::List& KnobReadings::edit() {
  if (!shared_ || shared_.use_count() > 1) {
    auto copy = std::make_shared<Shared>();
    copy->list = list();
    shared_ = std::move(copy);
  }
  shared_->index.clear();
  return shared_->list;
}

}  // namespace rocktune
