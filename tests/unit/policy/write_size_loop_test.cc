#include "tests/support/catch.h"
#include "tests/unit/policy/write_size_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("write size: reads that wait behind large writes get smaller ones", "[headroom]") {
  HeadroomBench bench = behind_writes();
  const auto proposal = bench.run(8, knob::kWriteSize);
  REQUIRE(proposal);
  CHECK(proposal->rule == "write_size.reads");
  CHECK(proposal->to == kSmallerPieces);
  CHECK(proposal->expected.feature == "read_p99_us");
  bench.apply(*proposal);
  bench.f.device_write_await_ms = 2;
  bench.f.read_p99_us = 4000;
  CHECK_FALSE(bench.run(3600, knob::kWriteSize));
}

TEST_CASE("write size: short work between long pauses is seen, before and after", "[headroom]") {
  HeadroomBench bench = behind_writes();
  // A flush every two seconds, a compaction every eight; between them the device has only reads,
  // and those hardly notice a flush.
  double slow_us = 20e3;
  const auto rounds = [&](int count) {
    std::optional<Proposal> last;
    for (int i = 0; i < count; ++i) {
      const bool compaction = i % 16 < 2, flush = i % 4 == 3, works = compaction || flush;
      bench.f.running_compactions = compaction ? 1 : 0;
      bench.f.compaction_write_bytes_per_second = 0;
      bench.f.flush_bytes_per_second = flush ? 2e6 : 0;
      bench.f.device_write_await_ms = compaction ? 9 : flush ? 5 : 0.7;
      bench.f.device_read_await_ms = compaction ? 1.5 : works ? 0.2 : 0.1;
      bench.f.read_p99_us = compaction ? slow_us : works ? 800 : 400;
      for (const Proposal& proposal : bench.tick()) {
        if (proposal.knob == knob::kWriteSize) last = proposal;
      }
    }
    return last;
  };
  bench.objective.read_p99_seconds = 1;  // reads are fast enough
  CHECK_FALSE(rounds(64));
  bench.objective.read_p99_seconds = 0.030;
  const auto proposal = rounds(16);
  REQUIRE(proposal);
  CHECK(proposal->rule == "write_size.reads");
  CHECK(proposal->expected.baseline > 5000);  // of the work: mostly it is fast
  bench.apply(*proposal);
  SECTION("it helped") {
    slow_us = 4000;
    CHECK_FALSE(rounds(208));
  }
  SECTION("it did not") {
    const auto back = rounds(96);
    REQUIRE(back);
    CHECK(back->rule == "write_size.futile");
  }
  SECTION("it did not, which a freeze lets nobody change for a quarter of an hour") {
    rounds(4);
    bench.knob(knob::kWriteSize).changeable = false;
    CHECK_FALSE(rounds(900));
    bench.knob(knob::kWriteSize).changeable = true;
    const auto back = rounds(96);
    REQUIRE(back);
    CHECK(back->rule == "write_size.futile");
  }
}

TEST_CASE("write size: rare work shows what reads will wait for in bulk", "[headroom]") {
  HeadroomBench bench = behind_writes();
  double beside_us = 900;
  // A flush every four seconds, seen in one sample.
  const auto rounds = [&](int count) {
    std::optional<Proposal> last;
    for (int i = 0; i < count; ++i) {
      const bool flush = i % 8 == 7;
      bench.f.running_compactions = 0;
      bench.f.compaction_write_bytes_per_second = 0;
      bench.f.flush_bytes_per_second = flush ? 2e6 : 0;
      bench.f.device_write_await_ms = flush ? 5 : 0.7;
      bench.f.device_read_await_ms = flush ? 0.2 : 0.1;
      bench.f.read_p99_us = flush ? beside_us : 300;
      for (const Proposal& proposal : bench.tick()) {
        if (proposal.knob == knob::kWriteSize) last = proposal;
      }
    }
    return last;
  };
  SECTION("far slower reads, and a write takes a sixth of their objective") {
    const auto proposal = rounds(24);
    REQUIRE(proposal);
    CHECK(proposal->to == kSmallerPieces);
    CHECK(proposal->reason.find("in bulk") != std::string::npos);
    CHECK(proposal->expected.feature == "stalled_ratio");  // reads get slower when there is more
  }
  SECTION("reads hardly notice") {
    beside_us = 500;
    CHECK_FALSE(rounds(64));
  }
  SECTION("the objective bears several") {
    bench.objective.read_p99_seconds = 0.100;
    CHECK_FALSE(rounds(64));
  }
}

TEST_CASE("write size: there and back are one step each, whatever was found", "[headroom]") {
  HeadroomBench bench = behind_writes();
  KnobReading& pieces = bench.knob(knob::kWriteSize);
  pieces.value = pieces.found = 8 << 20;
  const auto proposal = bench.run(8, knob::kWriteSize);
  REQUIRE(proposal);
  CHECK(proposal->to == 1 << 20);
  bench.apply(*proposal);
  CHECK(bench.run(40, knob::kWriteSize)->to == 8 << 20);
}

TEST_CASE("write size: where stalls matter first, only far from them", "[headroom]") {
  HeadroomBench bench = behind_writes();
  bench.backlog(9);  // of 20
  SECTION("reads come first") {
    CHECK(bench.run(8, knob::kWriteSize));
  }
  SECTION("stalls do") {
    bench.objective.first = Priority::kStallSeconds;
    CHECK_FALSE(bench.run(20, knob::kWriteSize));
    bench.backlog(2);
    CHECK(bench.run(8, knob::kWriteSize));
  }
  SECTION("a neighbour's reads as well") {
    bench.objective.first = Priority::kStallSeconds;
    bench.f.reads_per_second = 0;
    bench.f.shared = SharedBudget{};
    bench.f.shared->device_members = 2;
    bench.f.shared->write_size_max_bytes = kSmallerPieces;
    CHECK_FALSE(bench.run(20, knob::kWriteSize));
    bench.backlog(2);
    const auto follows = bench.run(8, knob::kWriteSize);
    REQUIRE(follows);
    CHECK(follows->rule == "write_size.neighbours");
  }
}

TEST_CASE("write size: without that evidence it stays", "[headroom]") {
  HeadroomBench bench = behind_writes();
  SECTION("nothing writes in the background") {
    bench.f.running_compactions = 0;
    bench.f.flush_bytes_per_second = bench.f.compaction_write_bytes_per_second = 0;
  }
  SECTION("writes are quick") {
    bench.f.device_write_await_ms = 0.5;
  }
  SECTION("the device is slow with reads, too") {
    bench.f.device_read_await_ms = 7;
  }
  SECTION("reads do not wait half as long as a write takes") {
    bench.f.read_p99_us = 3500;
  }
  SECTION("reads are far below their objective") {
    bench.objective.read_p99_seconds = 1;
  }
  SECTION("writes stand still") {
    bench.f.write_stopped = 1;
    bench.f.stalled_ratio = 1;
  }
  SECTION("the device is not read") {
    bench.f.device_write_await_ms.reset();
  }
  SECTION("pieces are small already") {
    bench.knob(knob::kWriteSize).value = kSmallerPieces;
  }
  SECTION("it cannot be changed") {
    bench.knob(knob::kWriteSize).changeable = false;
  }
  CHECK_FALSE(bench.run(60, knob::kWriteSize));
}

TEST_CASE("write size: smaller pieces that gained nothing go back, and rest longer each time",
          "[headroom]") {
  HeadroomBench bench = with_small_pieces();
  auto back = bench.run(40, knob::kWriteSize);
  REQUIRE(back);
  CHECK(back->rule == "write_size.futile");
  CHECK(back->to == kFoundPieces);
  SECTION("where the guard does not take it, what stands stays") {
    bench.run(60, knob::kWriteSize);
    CHECK_FALSE(bench.run(600, knob::kWriteSize));
  }
  SECTION("the next trial comes after the rest, the one after that after twice the rest") {
    bench.apply(*back);
    CHECK_FALSE(bench.run(560, knob::kWriteSize));
    const auto again = bench.run(60, knob::kWriteSize);
    REQUIRE(again);
    bench.apply(*again);
    back = bench.run(40, knob::kWriteSize);
    REQUIRE(back);
    bench.apply(*back);
    CHECK_FALSE(bench.run(1100, knob::kWriteSize));
    CHECK(bench.run(120, knob::kWriteSize));
  }
}

TEST_CASE("write size: who is not read writes as its neighbour's reads bear, and before its turn",
          "[headroom]") {
  HeadroomBench bench = beside_a_reader();
  SECTION("whether or not it writes now") {
    bench.f.running_compactions = 0;
    bench.f.flush_bytes_per_second = bench.f.compaction_write_bytes_per_second = 0;
  }
  SECTION("while it writes") {}
  SECTION("though nobody counts its reads") {
    bench.f.reads_per_second.reset();
    bench.f.read_p99_us.reset();
  }
  const auto proposal = bench.run(1, knob::kWriteSize);
  REQUIRE(proposal);
  CHECK(proposal->rule == "write_size.neighbours");
  CHECK(proposal->to == kSmallerPieces);
  CHECK(proposal->expected.feature == "stalled_ratio");
  bench.apply(*proposal);
  CHECK_FALSE(bench.run(1200, knob::kWriteSize));  // for as long as it is asked
  bench.f.shared->write_size_max_bytes.reset();
  CHECK_FALSE(bench.run(170, knob::kWriteSize));
  const auto back = bench.run(20, knob::kWriteSize);
  REQUIRE(back);
  CHECK(back->rule == "write_size.neighbours");
  CHECK(back->to == kFoundPieces);
}

TEST_CASE("write size: who followed and is read now goes its own way", "[headroom]") {
  HeadroomBench bench = following();
  bench.f.reads_per_second = 1000;
  bench.f.read_p99_us = 300;
  const auto back = bench.run(10, knob::kWriteSize);
  REQUIRE(back);
  CHECK(back->rule == "write_size.neighbours");
  CHECK(back->to == kFoundPieces);
  bench.apply(*back);
  CHECK_FALSE(bench.run(300, knob::kWriteSize));  // its reads wait for nothing
}

TEST_CASE("write size: smaller ones that nobody remembers are found out anew", "[headroom]") {
  HeadroomBench bench = following();
  bench.policy = *make_policy("headroom", {});  // rocktuned was restarted
  CHECK_FALSE(bench.run(30, knob::kWriteSize));
  bench.f.reads_per_second = 1000;
  bench.f.read_p99_us = 300;
  const auto back = bench.run(10, knob::kWriteSize);
  REQUIRE(back);
  CHECK(back->to == kFoundPieces);
}

TEST_CASE(
    "write size: nobody follows who is read, asks for nothing smaller than is of use, or stalls",
    "[headroom]") {
  HeadroomBench bench = beside_a_reader();
  SECTION("its own reads tell") {
    bench.f.reads_per_second = 1000;
  }
  SECTION("it is as small already") {
    bench.f.shared->write_size_max_bytes = kFoundPieces;
  }
  SECTION("its own writers wait") {
    bench.f.write_stopped = 1;
    bench.f.stalled_ratio = 1;
  }
  SECTION("nobody asks") {
    bench.f.shared->write_size_max_bytes.reset();
  }
  CHECK_FALSE(bench.run(60, knob::kWriteSize));
}

TEST_CASE("write size: more that a neighbour writes does not make smaller pieces futile",
          "[headroom]") {
  HeadroomBench bench = behind_writes();
  bench.f.shared = SharedBudget{};
  bench.f.shared->device_members = 2;
  bench.f.device_write_bytes_per_second = 20e6;
  const auto proposal = bench.run(8, knob::kWriteSize);
  REQUIRE(proposal);
  bench.apply(*proposal);
  SECTION("as much as before: then they are") {
    const auto back = bench.run(40, knob::kWriteSize);
    REQUIRE(back);
    CHECK(back->rule == "write_size.futile");
  }
  SECTION("far more") {
    bench.f.device_write_bytes_per_second = 60e6;
    CHECK_FALSE(bench.run(300, knob::kWriteSize));
  }
}

TEST_CASE("write size: a reader is ready before its own work adds to that of others",
          "[headroom]") {
  HeadroomBench bench = behind_writes();
  bench.f.running_compactions = 0;
  bench.f.flush_bytes_per_second = bench.f.compaction_write_bytes_per_second = 0;
  bench.f.wal_bytes_per_second = 1e6;
  bench.f.device_write_bytes_per_second = 30e6;
  CHECK_FALSE(bench.run(20, knob::kWriteSize));  // nobody else is there: the page cache, say
  bench.f.shared = SharedBudget{};
  bench.f.shared->device_members = 2;
  SECTION("others write") {
    REQUIRE(bench.run(5, knob::kWriteSize));
  }
  SECTION("it is its own log") {
    bench.f.wal_bytes_per_second = 10e6;
    CHECK_FALSE(bench.run(20, knob::kWriteSize));
  }
}

TEST_CASE("write size: another load says nothing of smaller pieces", "[headroom]") {
  HeadroomBench bench = with_small_pieces();
  bench.f.reads_per_second = 6000;
  CHECK_FALSE(bench.run(300, knob::kWriteSize));
}

TEST_CASE("write size: a clear gain is believed soon", "[headroom]") {
  HeadroomBench bench = with_small_pieces();
  bench.f.read_p99_us = 10'000;
  CHECK_FALSE(bench.run(16, knob::kWriteSize));  // as long as operations are looked at
  bench.f.read_p99_us = 30'000;                  // for another reason: nothing tells which
  CHECK_FALSE(bench.run(300, knob::kWriteSize));
}

TEST_CASE("write size: nor does another device", "[headroom]") {
  HeadroomBench bench = behind_writes();
  bench.f.device_write_iops = 50;
  bench.f.device_write_bytes_per_second = 50e6;
  const auto proposal = bench.run(8, knob::kWriteSize);
  REQUIRE(proposal);
  bench.apply(*proposal);
  // Pieces of an eighth, and 8 times as many.
  bench.f.device_write_iops = 400;
  bench.f.device_write_await_ms = 1;
  CHECK_FALSE(bench.run(5, knob::kWriteSize));
  SECTION("it has lost half of its speed") {
    bench.f.device_write_await_ms = 2;
    CHECK_FALSE(bench.run(300, knob::kWriteSize));
  }
  SECTION("it is the same") {
    CHECK(bench.run(60, knob::kWriteSize)->rule == "write_size.futile");
  }
}

TEST_CASE("write size: no trial where polls are too far apart to judge it", "[headroom]") {
  HeadroomBench bench = behind_writes();
  bench.f.interval_seconds = 6;
  CHECK_FALSE(bench.run(300, knob::kWriteSize));
  bench = behind_writes();
  bench.f.interval_seconds = 5;
  CHECK(bench.run(60, knob::kWriteSize));
}

TEST_CASE("reads that the cache serves do not wait for writes of the device", "[headroom]") {
  const double reads_of_device = GENERATE(10, 100);  // for 2,000
  HeadroomBench bench = behind_writes();
  bench.f.device_read_iops = reads_of_device;
  CHECK(bench.run(30, knob::kWriteSize).has_value() == (reads_of_device == 100));
}
