#include "model/feature_stream.h"

#include <utility>

#include "model/derive.h"

namespace rocktune {

Features FeatureStream::next(Sample sample, HistogramForm form) {
  const Sample* older = last_ ? &*last_ : nullptr;
  if (sample.database && last_database_) older = &*last_database_;
  Features features = derivation::derive_from(older, sample, form);
  if (sample.database) {
    last_database_.reset();
  } else if (last_ && last_->database) {
    last_database_ = std::move(last_);
  }
  last_ = std::move(sample);
  return features;
}

}  // namespace rocktune
