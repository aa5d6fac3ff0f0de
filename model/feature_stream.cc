#include "model/feature_stream.h"

namespace rocktune {

Features FeatureStream::next(const Sample& sample) {
  const Sample* older = last_ ? &*last_ : nullptr;
  if (sample.database && last_database_) older = &*last_database_;
  Features features = derive(older, sample);
  last_ = sample;
  if (sample.database) last_database_ = sample;
  return features;
}

}  // namespace rocktune
