// FeatureStream: the features of one target's samples, in order. Which older sample each one is
// compared with is decided here and nowhere else, so that live, replay, score and train see the
// same features. Pure. Not thread-safe.
#pragma once

#include <optional>

#include "model/features.h"
#include "model/histogram_form.h"
#include "model/sample.h"

namespace rocktune {

class FeatureStream {
 public:
  // A database reading pairs with the last one before it, however many polls lie between; a sample
  // without one still has device and host rates since the sample before it.
  Features next(Sample sample, HistogramForm form = HistogramForm::kSinceOpened);

 private:
  // Without their column families, which nobody asks of an older sample.
  std::optional<Sample> last_;           // of whatever kind
  std::optional<Sample> last_database_;  // the last one in which the database was read, if another
};

}  // namespace rocktune
