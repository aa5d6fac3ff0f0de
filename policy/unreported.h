// Unreported: decisions that were handed out and whose report has not come. Not made, perhaps; or
// made already: an agent answers when all changes of a request are made, a slow one among them, and
// a sample may show the others before. What it shows then is nobody else's hand. Pure; bounded;
// internal to policy/.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "model/decision.h"
#include "model/knob_readings.h"

namespace rocktune {

class Unreported {
 public:
  // Once per step, before decisions are added. Where nobody reports, those of earlier steps are
  // forgotten in the end.
  void begin_step();
  void add(const Decision& decision);
  std::optional<Decision> take(const std::string& decision_id);
  // The reading is what one of them was to come to.
  [[nodiscard]] bool make(const KnobReading& reading) const;
  [[nodiscard]] bool empty() const { return decisions_.empty(); }
  void clear() { decisions_.clear(); }

 private:
  std::map<std::string, Decision> decisions_;  // by id
};

}  // namespace rocktune
