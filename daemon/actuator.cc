#include "daemon/actuator.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace rocktune::daemon {
namespace {

// A request is full with these. An agent takes 256 changes and 64 KiB (docs/wire.md, "Limits");
// what completes a column family comes on top, and a change is some 200 bytes.
constexpr std::size_t kFullRequest = 64;

const std::string& family_of(const Decision& decision) {
  return decision.proposal.column_family;
}

// It was answered, and nothing of it was made: what is not answered may be made all the same.
bool is_refusal(const Error& error) {
  return error.code == ErrorCode::kConflict || error.code == ErrorCode::kPermission ||
         error.code == ErrorCode::kNotFound;
}

}  // namespace

std::string change_id(const std::string& run, std::uint64_t target_serial,
                      const std::string& decision) {
  return run + "-" + std::to_string(target_serial) + "-" + decision;
}

wire::ChangesRequest to_request(const std::string& run, const Target& target,
                                const std::vector<Decision>& decisions, const std::string& holder) {
  wire::ChangesRequest request;
  request.holder = holder;
  for (const Decision& decision : decisions) {
    const Proposal& proposal = decision.proposal;
    request.changes.push_back({change_id(run, target.serial(), decision.id), proposal.knob,
                               proposal.column_family, decision.verdict.value, proposal.from});
  }
  return request;
}

std::vector<wire::ChangesRequest> held_requests(const std::string& holder,
                                                const std::vector<wire::Change>& changes) {
  std::vector<wire::ChangesRequest> requests;
  for (const wire::Change& change : changes) {
    if (requests.empty() || requests.back().changes.size() >= kFullRequest) {
      requests.push_back({holder, {}, true});
    }
    requests.back().changes.push_back(change);
  }
  return requests;
}

std::vector<Actuation> to_actuations(const wire::ChangesRequest& request,
                                     const std::vector<Decision>& decisions,
                                     const Result<wire::ChangeResults>& answer) {
  std::vector<Actuation> actuations;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const Decision& decision = decisions[i];
    const std::int64_t from = decision.proposal.from;
    Actuation actuation{decision.id, "failed", "the agent left this change out of its answer", from,
                        from};
    if (!answer) {
      if (is_refusal(answer.error())) actuation.status = "refused";
      actuation.reason = answer.error().message;
    } else {
      const auto result =
          std::find_if(answer->results.begin(), answer->results.end(),
                       [&](const wire::ChangeResult& r) { return r.id == request.changes[i].id; });
      if (result != answer->results.end()) {
        actuation = {decision.id, result->status, shortened(result->reason), result->before,
                     result->after};
      }
    }
    actuations.push_back(std::move(actuation));
  }
  return actuations;
}

void add_requests(Errand errand, std::vector<Errand>& errands) {
  std::vector<Decision> decisions = std::move(errand.decisions);
  if (decisions.size() > kFullRequest) {
    std::stable_sort(decisions.begin(), decisions.end(), [](const Decision& a, const Decision& b) {
      return family_of(a) < family_of(b);
    });
  }
  auto next = decisions.begin();
  do {
    auto end = next;
    for (std::size_t n = 0; end != decisions.end(); ++n, ++end) {
      if (n >= kFullRequest && family_of(*end) != family_of(*std::prev(end))) break;
    }
    errand.decisions.assign(std::make_move_iterator(next), std::make_move_iterator(end));
    errands.push_back(errand);
    next = end;
  } while (next != decisions.end());
}

bool is_still_open(const Errand& errand) {
  const std::optional<Opening>& opening = errand.target->opening();
  return opening && opening->incarnation() == errand.incarnation;
}

void refuse_all(const Errand& errand, const std::string& reason) {
  for (const Decision& decision : errand.decisions) {
    const std::int64_t value = decision.proposal.from;
    errand.target->report({decision.id, "not_sent", reason, value, value});
  }
}

namespace {

constexpr const char* kNoLongerOpen = "the database was closed, or opened anew, since";

bool holds(const std::optional<wire::Lease>& lease, const HoldTerms& terms) {
  return lease && lease->holder == terms.holder && lease->on_expiry == terms.on_expiry &&
         std::abs(lease->seconds - terms.seconds) < 0.001;
}

}  // namespace

boost::asio::awaitable<void> hold_and_apply(std::shared_ptr<Peer> peer, Errand errand,
                                            std::string run, HoldTerms terms, Overruled overruled,
                                            Nanoseconds deadline) {
  const std::shared_ptr<Target> target = errand.target;
  if (!is_still_open(errand)) {
    refuse_all(errand, kNoLongerOpen);
    co_return;
  }
  const std::string database = target->opening()->database.id;
  const wire::ChangesRequest request = to_request(run, *target, errand.decisions, terms.holder);
  Result<wire::ChangeResults> answer = wire::ChangeResults{};
  if (const std::string held = target->held_elsewhere(); !held.empty()) {
    refuse_all(errand, held);
    co_return;
  }
  if (!holds(target->lease(), terms)) {
    const wire::Lease wanted{terms.holder, terms.seconds, terms.on_expiry, std::nullopt};
    const Result<wire::Lease> lease = co_await peer->session.lease(database, wanted, deadline);
    const bool closed = !lease && lease.error().code == ErrorCode::kNotFound;
    if (closed || !is_still_open(errand)) {
      refuse_all(errand, kNoLongerOpen);
      co_return;
    }
    target->note("lease", lease ? std::string() : lease.error().message);
    if (!lease) {
      // Whatever the trouble is: no change was asked for.
      answer = fail(ErrorCode::kConflict, "the lease could not be taken: " + lease.error().message);
    }
    if (const std::string why = overruled(); !why.empty()) {
      refuse_all(errand, why);
      co_return;
    }
  }
  if (errand.decisions.empty()) co_return;
  if (answer) {
    target->sent(errand.decisions);
    answer = co_await peer->session.changes(database, request, deadline);
  }
  for (const Actuation& actuation : to_actuations(request, errand.decisions, answer)) {
    target->report(actuation);
  }
}

}  // namespace rocktune::daemon
