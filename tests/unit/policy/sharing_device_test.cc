// What the databases of one device are given of it.
#include <map>

#include "tests/support/catch.h"
#include "tests/unit/policy/share_member.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("a limit that is nobody's to give takes no more of the device than is written",
          "[sharing]") {
  Sharing sharing;
  ShareMember one = member("a"), two = member("b"), own = member("c");
  for (ShareMember* each : {&one, &two}) {
    each->in_common = {{{std::string(knob::kRateLimit), ""}, "process/3"}};
    each->knobs.edit()[0] = limiter_knob(200 * kShareTestMiB, 200 * kShareTestMiB);
    each->knobs.edit()[0].changeable = false;
    each->demand.background = each->demand.background_mean = 20.0 * kShareTestMiB;
    each->demand.background_peak = 150.0 * kShareTestMiB;  // a flush, counted as it ends
    each->demand.need = 20.0 * kShareTestMiB;
  }
  own.demand.background = own.demand.background_mean = 30.0 * kShareTestMiB;
  own.demand.background_peak = 150.0 * kShareTestMiB;
  own.demand.need = 30.0 * kShareTestMiB;
  two.demand.reads_hurt = two.demand.device_busy = two.demand.reads = true;
  Sharing::Slices slices;
  for (int i = 0; i < 60; ++i) {
    slices = sharing.update(at_seconds(1 + 0.5 * i), {}, 8.0, {one, two, own});
  }
  REQUIRE(slices.at("c").background_max_bytes_per_second);
  CHECK(*slices.at("c").background_max_bytes_per_second >= 29 * kShareTestMiB);
}

TEST_CASE("a peer's limit is nobody's to give: it counts with what it writes", "[sharing]") {
  Sharing sharing;
  ShareMember peer = member("a"), reader = member("b");
  peer.gives_rate = GENERATE(true, false);
  for (ShareMember* each : {&peer, &reader}) {
    each->demand.background = each->demand.background_mean = 60.0 * kShareTestMiB;
    each->demand.background_peak = 60.0 * kShareTestMiB;
    each->demand.need = 10.0 * kShareTestMiB;
  }
  reader.demand.reads_hurt = reader.demand.device_busy = reader.demand.reads = true;
  Sharing::Slices slices;
  for (int i = 0; i < 600; ++i) {
    slices = sharing.update(at_seconds(1 + 0.5 * i), {}, 8.0, {peer, reader});
  }
  REQUIRE(slices.at("a").background_max_bytes_per_second);
  const std::uint64_t left = *slices.at("a").background_max_bytes_per_second;
  CHECK((left >= 59 * kShareTestMiB) == !peer.gives_rate);
}

TEST_CASE("a limit above a slice that has shrunk is held up by it, too", "[sharing]") {
  Sharing sharing;
  ShareMember full = member("a"), calm = member("b");
  for (ShareMember* each : {&full, &calm}) {
    each->demand.background = each->demand.background_mean = 60.0 * kShareTestMiB;
    each->demand.background_peak = 60.0 * kShareTestMiB;
    each->demand.need = 50.0 * kShareTestMiB;
    each->demand.device_busy = true;
  }
  full.knobs.edit()[0] = limiter_knob(200 * kShareTestMiB, 200 * kShareTestMiB);
  calm.demand.reads_hurt = calm.demand.reads = true;
  Sharing::Slices slices;
  for (int i = 0; i < 240; ++i) {
    slices = sharing.update(at_seconds(1 + 0.5 * i), {}, 8.0, {full, calm});
  }
  REQUIRE(slices.at("a").background_max_bytes_per_second);
  const std::uint64_t closed = *slices.at("a").background_max_bytes_per_second;
  REQUIRE(closed < 200 * kShareTestMiB);
  full.demand.trouble = true;  // share.device lowers nothing in a backlog: its limit stays above
  const auto run = [&] {
    for (int i = 240; i < 260; ++i) {
      slices = sharing.update(at_seconds(1 + 0.5 * i), {}, 8.0, {full, calm});
    }
    return slices.at("a").background_max_bytes_per_second.value_or(1ull << 62);
  };
  SECTION("which it uses up") {
    full.demand.background = 1.0 * static_cast<double>(closed);
    CHECK(run() > closed * 3 / 2);
  }
  SECTION("not where it does not") {
    full.demand.background = 0.3 * static_cast<double>(closed);
    CHECK(run() <= closed * 3 / 2);
  }
  SECTION("nor where it stands at its slice, which follows from that") {
    full.knobs.edit()[0] = limiter_knob(static_cast<std::int64_t>(closed), 200 * kShareTestMiB);
    full.demand.background = full.demand.background_most = 0.3 * static_cast<double>(closed);
    full.demand.background_peak = 2.0 * static_cast<double>(closed);  // one flush
    CHECK(run() <= closed * 3 / 2);
  }
  SECTION("there in a pause of its compactions, too") {
    full.knobs.edit()[0] = limiter_knob(static_cast<std::int64_t>(closed), 200 * kShareTestMiB);
    full.demand.background = 0.0;
    full.demand.background_most = 1.0 * static_cast<double>(closed);
    CHECK(run() > closed * 3 / 2);
  }
  SECTION("not where nobody would lower it") {
    full.demand.background = 1.0 * static_cast<double>(closed);
    full.acts = false;
    CHECK(run() <= closed * 3 / 2);
  }
}

TEST_CASE("who is read asks its neighbours for writes as small as its own", "[sharing]") {
  ShareMember reader = member("reader"), writer = member("writer"), apart = member("apart");
  apart.device = "nvme1n1";
  reader.demand.reads = true;
  reader.knobs.edit().push_back(
      knob_reading(knob::kWriteSize, 128 << 10, 1 << 20, 64 << 10, 1 << 30));
  Sharing sharing;
  const auto sizes = [&] {
    std::map<std::string, Counter> out;
    for (const auto& [name, slice] :
         sharing.update(at_seconds(1), {}, 8.0, {reader, writer, apart})) {
      out[name] = slice.write_size_max_bytes;
    }
    return out;
  };
  SECTION("those on its device, not itself") {
    CHECK(sizes()["writer"] == 128u << 10);
    CHECK_FALSE(sizes()["reader"]);
    CHECK_FALSE(sizes()["apart"]);
  }
  SECTION("who is not read follows, and asks for nothing") {
    reader.demand.reads = false;
    CHECK_FALSE(sizes()["writer"]);
  }
  SECTION("what was found, or set by the operator, is no finding") {
    reader.knobs.edit().back() =
        knob_reading(knob::kWriteSize, 128 << 10, 128 << 10, 64 << 10, 1 << 30);
    CHECK_FALSE(sizes()["writer"]);
    reader.knobs.edit().back() =
        knob_reading(knob::kWriteSize, 128 << 10, 1 << 20, 64 << 10, 1 << 30);
    reader.knobs.edit().back().owner = KnobOwner::kManual;
    CHECK_FALSE(sizes()["writer"]);
  }
  SECTION("of two readers the smaller one counts") {
    ShareMember other = reader;
    other.name = "other";
    other.knobs.edit().back().value = 64 << 10;
    const auto slices = sharing.update(at_seconds(1), {}, 8.0, {reader, writer, other});
    CHECK(slices.at("writer").write_size_max_bytes == 64u << 10);
    CHECK(slices.at("reader").write_size_max_bytes == 64u << 10);
    CHECK(slices.at("other").write_size_max_bytes == 128u << 10);
  }
}

TEST_CASE("all on a device smooth what they write while reads of one wait for others",
          "[sharing][smoothing]") {
  ShareMember reader = member("reader"), writer = member("writer"), apart = member("apart");
  apart.device = "nvme1n1";
  writer.demand.background = 20e6;
  reader.demand.background = 0;
  reader.demand.reads_wait_seconds = 2;
  reader.demand.reads_are_far = false;
  Sharing sharing;
  Sharing::Slices slices;
  const auto look = [&] {
    slices = sharing.update(at_seconds(1), {}, 8.0, {reader, writer, apart});
  };
  SECTION("from a part of what is written on") {
    look();
    CHECK(slices.at("writer").smooth_from_bytes_per_second == 4'000'000);
    CHECK(slices.at("reader").smooth_from_bytes_per_second == 4'000'000);
    CHECK_FALSE(slices.at("apart").smooth_from_bytes_per_second);
  }
  SECTION("not by a limiter that several have in common") {
    writer.in_common = reader.in_common = {{{std::string(knob::kRateLimit), ""}, "process/3"}};
    look();
    CHECK_FALSE(slices.at("writer").smooth_from_bytes_per_second);
  }
  SECTION("nobody waits") {
    reader.demand.reads_wait_seconds = 0;
    look();
    CHECK_FALSE(slices.at("writer").smooth_from_bytes_per_second);
  }
}
