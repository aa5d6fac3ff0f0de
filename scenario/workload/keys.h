// Which record does an operation touch? The distributions that a phase can have:
//
//   distribution: zipfian            # YCSB's scrambled Zipfian; the default
//   distribution: uniform
//   distribution: latest             # Zipfian by age, the newest first (YCSB's workload D)
//   distribution: {kind: zipfian, theta: 0.8, shift_every_seconds: 10}
//   distribution: {kind: hot_set, access_share: 0.7, key_share: 0.2, shift_at_seconds: 15}
//   distribution: {kind: mixgraph, ...}   # see mixgraph.h
//
// A hot set is the first key_share of all records, in key order, and gets access_share of all
// accesses; the others get the rest. A shift moves what is hot to other records: a hot set to the
// records after it, the others by a golden section of the key space. `shifted: N` begins a phase
// as if it had shifted N times before.
//
// Inserted records have numbers of their own for each thread, so that neither the keys that are
// written nor those that are read depend on which thread is faster: see Inserted. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "scenario/located_yaml.h"
#include "scenario/workload/generator.h"
#include "scenario/workload/mixgraph.h"

namespace rocktune::scenario {

enum class KeyKind { kZipfian, kUniform, kLatest, kHotSet, kMixgraph };

struct KeyPlan {
  KeyKind kind = KeyKind::kZipfian;
  double theta = Zipfian::kYcsbConstant;  // kZipfian, kLatest
  double access_share = 0.7;              // kHotSet; the default is source 003's
  double key_share = 0.2;
  MixgraphKeys mixgraph;           // kMixgraph
  double shift_at_seconds = 0;     // 0: never; since the phase began
  double shift_every_seconds = 0;  // 0: never
  std::int64_t shifted = 0;        // how often before the phase
};

KeyPlan read_keys(MapReader& map, const std::string& key, Problems& problems,
                  const KeyPlan& absent);
// "zipfian", "hot_set 70% to 20%, shifted every 10 s".
std::string keys_text(const KeyPlan& plan);

// What one thread has inserted. Thread t of n writes records + t, records + t + n, and so on.
struct Inserted {
  std::uint64_t records = 0;  // that were loaded
  std::uint64_t thread = 0;
  std::uint64_t threads = 1;
  std::uint64_t count = 0;

  [[nodiscard]] std::uint64_t record(std::uint64_t index) const {
    return records + thread + index * threads;
  }
};

// Constant after construction; shared by the threads of a phase.
class KeyChooser {
 public:
  KeyChooser(const KeyPlan& plan, std::uint64_t records);

  // A record for an operation that is due `seconds` after the phase began.
  [[nodiscard]] std::uint64_t next(Random& random, double seconds, const Inserted& inserted) const;
  // How often what is hot has moved by then.
  [[nodiscard]] std::uint64_t shifts(double seconds) const;

 private:
  [[nodiscard]] std::uint64_t latest(Random& random, const Inserted& inserted) const;
  [[nodiscard]] std::uint64_t hot_set(Random& random) const;

  KeyPlan plan_;
  std::uint64_t records_;
  std::uint64_t hot_records_;
  std::uint64_t step_;  // how far one shift moves
  ScrambledZipfian scrambled_;
  Zipfian ranks_;  // kLatest
  KeyRanges ranges_;
};

}  // namespace rocktune::scenario
