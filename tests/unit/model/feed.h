// Drives an IndicatorModel with the features of one database.
#pragma once

#include <vector>

#include "model/indicators.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

namespace rocktune::test {

// Features of a quiet database, half a second apart.
class Feed {
 public:
  Feed() {
    f.sequence = 0;
    f.fresh = true;
    f.interval_seconds = 0.5;
    f.l0_column_family = f.pending_column_family = f.memtable_column_family = "default";
    set_l0(2);
    f.l0_slowdown_files = 20;
    f.l0_stop_files = 36;
    f.pending_bytes = 0;
    f.pending_soft_bytes = 1e9;
    f.pending_ratio = 0;
    f.immutable_memtables = 0;
    f.max_write_buffers = 2;
    f.memtable_ratio = 0;
    f.write_stopped = 0;
    f.stalled_ratio = 0;
    f.reads_per_second = f.writes_per_second = 10000;
    f.read_p99_us = f.write_p99_us = 500;
    f.device_queue = 1;
    f.device_read_iops = 1000;
    f.device_read_await_ms = 0.2;
  }
  void set_l0(double files) {
    f.l0_files = files;
    f.l0_ratio = files / 20;
  }
  IndicatorModel::Step step() {
    ++f.sequence;
    f.at = {at_seconds(1.7e9 + 0.5 * static_cast<double>(f.sequence)),
            at_seconds(0.5 * static_cast<double>(f.sequence))};
    IndicatorModel::Step out = model.update(f);
    REQUIRE(out.indicators.size() == 3);
    for (const AlertChange& alert : out.alerts) alerts.push_back(alert);
    return out;
  }
  void steps(int count) {
    for (int i = 0; i < count; ++i) step();
  }
  Indicator backlog() { return step().indicators[1]; }

  Features f;
  IndicatorModel model{Objective{}};
  std::vector<AlertChange> alerts;
};

}  // namespace rocktune::test
