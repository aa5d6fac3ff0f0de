// FamilyKnobs: the knobs of column families that stand as they were found. Samples leave them out,
// to be small; what they are is among each column family's options, and whether and how far they
// can be changed is asked for once, when a column family is first seen. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/sample.h"
#include "wire/messages.h"

namespace rocktune::daemon {

class FamilyKnobs {
 public:
  void reset() { *this = FamilyKnobs(); }
  // Whether GET /v1/dbs/{id}/knobs is to be asked: a column family is not known. At most once in
  // ten seconds.
  [[nodiscard]] bool wanted(const wire::Sample& sample, Nanoseconds now) const;
  void asked(Nanoseconds now) { asked_ = now; }
  void take(const wire::Knobs& answer);
  // Adds what the sample does not have. Knobs outside model/knobs.h are left out: nobody here turns
  // them.
  void add_to(const wire::Sample& sample, std::vector<KnobReading>& knobs) const;

 private:
  std::map<std::string, std::vector<KnobReading>> families_;
  std::optional<Nanoseconds> asked_;
};

}  // namespace rocktune::daemon
