// The traces of a database's operations that are asked for over the wire: one at a time, begun and
// ended while the database runs, by RocksDB's own Tracer.
//
// RocksDB has one tracer: a trace that the host itself has under way ends, without a word to the
// host, when one of ours begins - nothing public tells that there is one. What the host begins
// later ends ours, which is told (`host`).
//
// Thread-safety: handle() and tick() must not overlap (the agent does one after the other), and may
// take as long as a checkpoint; close() comes after both. Changes of the database's options go on
// beside any of them.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/trace_reader_writer.h>

#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "agent/clock.h"
#include "agent/families.h"
#include "agent/op_trace/directory.h"
#include "agent/op_trace/file.h"
#include "wire/codec.h"

namespace rocktune::agent {

class OpTrace {
 public:
  using Answer = tl::expected<wire::OpTrace, wire::Error>;
  using Log = std::function<void(const std::string& sentence)>;

  // `paths`: the directories that the database's files are in.
  OpTrace(rocksdb::DB* db, std::shared_ptr<Families> families, std::string access,
          std::vector<std::string> paths, Clock clock, Log log);

  Answer handle(const wire::OpTraceRequest& request);
  // Makes RocksDB let go of a trace that has reached its bounds.
  void tick();
  // The database is about to close. Does not wait for the file to be written. While the process
  // exits RocksDB is left alone (agent/exiting.h), and lets go when it is destroyed.
  void close();

 private:
  Answer start(const wire::OpTraceRequest& request);
  [[nodiscard]] std::string why_not(const wire::OpTraceRequest& request) const;
  [[nodiscard]] std::string why_not_replayable() const;
  // Empty, or what went wrong.
  std::string begin(const wire::OpTraceRequest& request, const OpTraceDirectory& directory);
  std::string trace_and_checkpoint(const wire::OpTraceRequest& request,
                                   std::unique_ptr<rocksdb::TraceWriter> writer);
  void stop(OpTraceFile::End why);
  void forget_latest();
  void tell_end();
  void say(const std::string& sentence) const noexcept;
  [[nodiscard]] wire::OpTrace status() const;

  rocksdb::DB* const db_;
  const std::shared_ptr<Families> families_;
  const std::string access_;
  const std::vector<std::string> paths_;
  const Clock clock_;
  const Log log_;

  std::shared_ptr<OpTraceFile> file_;  // of the latest; also its thread's and RocksDB's
  wire::OpTrace latest_;               // what does not change while it runs
  bool told_ = true;                   // the log knows that it ended
};

}  // namespace rocktune::agent
