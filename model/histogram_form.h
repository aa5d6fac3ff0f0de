// What the latency histograms of a stream of samples count.
#pragma once

namespace rocktune {

enum class HistogramForm {
  kSinceOpened,    // cumulative since the database was opened, as agents give them
  kSincePrevious,  // since the sample before that had one, as a trace stores them: for replay,
                   // which then need not add up what derive() would take apart again
};

}  // namespace rocktune
