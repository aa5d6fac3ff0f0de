#include "replay/agreement.h"

#include "tests/support/catch.h"

using namespace rocktune;
using namespace rocktune::replay;
using std::chrono::seconds;

namespace {

Proposal change(const std::string& knob, bool up) {
  Proposal proposal;
  proposal.knob = knob;
  proposal.from = 4;
  proposal.to = up ? 8 : 2;
  return proposal;
}

}  // namespace

TEST_CASE("changes agree by knob, direction and time, each once", "[replay]") {
  Agreement agreement(seconds(10));
  agreement.add_live(seconds(1), change("jobs", true));
  agreement.add_replayed(seconds(5), change("jobs", true));    // agrees
  agreement.add_replayed(seconds(6), change("jobs", true));    // waits
  agreement.add_live(seconds(20), change("jobs", true));       // too late for it
  agreement.add_live(seconds(21), change("jobs", false));      // other direction
  agreement.add_live(seconds(22), change("rate", false));      // other knob
  agreement.add_replayed(seconds(30), change("rate", false));  // agrees
  CHECK(agreement.live() == 4);
  CHECK(agreement.agreed() == 2);
}
