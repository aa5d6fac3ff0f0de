// Actuator: carries allowed decisions out through the agent. Batched per database (a few at a time
// where they are many), idempotent by
// the change's id, guarded by the value that the decision was based on, read back by the agent.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/agents/peer.h"
#include "daemon/config/config.h"

namespace rocktune::daemon {

// What one poll of a database asks to be done in it.
struct Errand {
  std::shared_ptr<Target> target;
  std::vector<Decision> decisions;
  std::uint64_t configured = 0;  // the target's, when this was decided
  std::string incarnation;       // of the opening that was sampled
};

// Adds it as one errand for each request: of a database with many column families more can be
// decided at once than an agent takes in one. What is for one column family, which the agent makes
// in one go, stays together. One without decisions (the lease alone) is added as it is.
void add_requests(Errand errand, std::vector<Errand>& errands);
// Whether the target is still what was sampled. Another process may have opened the database since,
// and ids of databases are those of one process.
bool is_still_open(const Errand& errand);
// None of it was sent: reports that.
void refuse_all(const Errand& errand, const std::string& reason);

struct HoldTerms {
  std::string holder;
  double seconds = 0;
  std::string on_expiry;
};

// The id of a change: the same decision of the same run is the same change.
std::string change_id(const std::string& run, std::uint64_t target_serial,
                      const std::string& decision);
wire::ChangesRequest to_request(const std::string& run, const Target& target,
                                const std::vector<Decision>& decisions, const std::string& holder);
// What an operator orders, to be held: as many requests as an agent takes that in, in their order.
std::vector<wire::ChangesRequest> held_requests(const std::string& holder,
                                                const std::vector<wire::Change>& changes);
// One actuation per decision, also when the agent failed or left one out: `failed` is one that may
// have been made.
std::vector<Actuation> to_actuations(const wire::ChangesRequest& request,
                                     const std::vector<Decision>& decisions,
                                     const Result<wire::ChangeResults>& answer);

// Takes the lease where it is not ours already (a restarted daemon adopts its own), then applies,
// as long as the database is still open there, and `overruled`, asked once the lease is there, says
// nothing (else why not). Every decision is reported to the target, applied or not.
using Overruled = std::function<std::string()>;
boost::asio::awaitable<void> hold_and_apply(std::shared_ptr<Peer> peer, Errand errand,
                                            std::string run, HoldTerms terms, Overruled overruled,
                                            Nanoseconds deadline);

}  // namespace rocktune::daemon
