#include "replay/agreement.h"

namespace rocktune::replay {
namespace {

auto key_of(const Proposal& proposal) {
  return std::make_tuple(proposal.knob, proposal.column_family, proposal.to > proposal.from);
}

}  // namespace

void Agreement::match(Nanoseconds tick, std::deque<Nanoseconds>& own,
                      std::deque<Nanoseconds>& other) {
  for (auto* waiting : {&own, &other}) {
    while (!waiting->empty() && tick - waiting->front() > window_) waiting->pop_front();
  }
  if (other.empty()) {
    own.push_back(tick);
    return;
  }
  other.pop_front();
  ++agreed_;
}

void Agreement::add_live(Nanoseconds tick, const Proposal& proposal) {
  ++live_;
  Waiting& waiting = waiting_[key_of(proposal)];
  match(tick, waiting.live, waiting.replayed);
}

void Agreement::add_replayed(Nanoseconds tick, const Proposal& proposal) {
  Waiting& waiting = waiting_[key_of(proposal)];
  match(tick, waiting.replayed, waiting.live);
}

}  // namespace rocktune::replay
