#include "policy/memory.h"

#include "model/knobs.h"

namespace rocktune {

const KnobReading* find_reading(const std::vector<KnobReading>& knobs, std::string_view name,
                                std::string_view column_family) {
  for (const KnobReading& reading : knobs) {
    if (reading.name == name && reading.column_family == column_family) return &reading;
  }
  return nullptr;
}

MemoryUse memory_use(const std::vector<KnobReading>& knobs) {
  MemoryUse use;
  for (const KnobReading& reading : knobs) {
    if (reading.name == knob::kCacheCapacity) {
      use.cache += static_cast<double>(reading.value);
      use.found_cache += static_cast<double>(reading.found);
    } else if (reading.name == knob::kWriteBufferSize) {
      const KnobReading* number = find_reading(knobs, knob::kWriteBuffers, reading.column_family);
      if (number == nullptr) continue;
      use.write_buffers += static_cast<double>(reading.value) * static_cast<double>(number->value);
      use.found_buffers += static_cast<double>(reading.found) * static_cast<double>(number->found);
    }
  }
  return use;
}

double memory_budget(const Budget& budget, const MemoryUse& use) {
  if (budget.memory_max) return static_cast<double>(budget.memory_max->value);
  return use.found_cache + use.found_buffers;
}

}  // namespace rocktune
