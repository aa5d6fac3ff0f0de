// Peer: one agent as the main loop knows it between polls.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "daemon/agents/complaints.h"
#include "daemon/agents/discovery.h"
#include "daemon/agents/pause.h"
#include "daemon/agents/refusals.h"
#include "daemon/agents/session.h"
#include "daemon/target.h"

namespace rocktune::daemon {

struct Peer {
  Peer(const boost::asio::any_io_executor& executor, AgentSocket found,
       std::shared_ptr<Allowance> of_user = nullptr)
      : socket(std::move(found)),
        allowance(std::move(of_user)),
        session(executor, socket.path, allowance) {}

  AgentSocket socket;
  std::shared_ptr<Allowance> allowance;  // null: its user is trusted
  Session session;
  std::optional<wire::Hello> hello;
  bool reading = false;     // a poll is under way
  bool listening = false;   // events are being read
  bool commanding = false;  // a lease, change, restore or release is under way
  bool gone = false;        // its socket has vanished: whoever still waits must let go
  bool answers = false;
  Complaints complaints;
  Pause pause;
  std::map<std::string, Pause> pauses;  // by database id, where its last sample was no valid one
  std::string next_first;               // the database, by id, with which the next poll begins
  // One that took all of a poll and did not answer comes last until then, so that one that hangs
  // costs the others a poll now and then.
  std::string slow;
  Nanoseconds slow_until{0};
  std::map<std::string, std::shared_ptr<Target>> targets;  // by database id
  Refusals refusals;
};

// Marks one of a peer's two connections as in use, for as long as it lives.
class Busy {
 public:
  Busy(std::shared_ptr<Peer> peer, bool Peer::* what) : peer_(std::move(peer)), what_(what) {
    (*peer_).*what_ = true;
  }
  ~Busy() { (*peer_).*what_ = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::shared_ptr<Peer> peer_;
  bool Peer::* what_;
};

}  // namespace rocktune::daemon
