#include "sim/host.h"

#include <cmath>

#include "tests/support/catch.h"

namespace rocktune::sim {
namespace {

HostLaws slow_machine() {
  return {4, DeviceLaws{{100e6, 25000}, {100e6, 25000}, 0.6, 100e-6}};
}

// Reads of which one in five misses a cache of 8 MiB.
Laws reading_laws() {
  Laws laws;
  laws.job_spread = 0;
  laws.reads.miss_ratio = 0.2;
  laws.reads.cache_bytes = 8 << 20;
  return laws;
}

Arrivals arrivals(double reads, double writes) {
  Arrivals arrivals;
  arrivals.reads_per_second = reads;
  arrivals.writes_per_second = writes;
  return arrivals;
}

Host host_of(const PlantOptions& options, const Arrivals& asked) {
  Host host(slow_machine(), {Plant(options, reading_laws(), 0)});
  host.plant(0).set_arrivals(asked);
  return host;
}

double read_p99(const Host& host) {
  return host.plant(0).read_latency().response.quantile_seconds(0.99);
}

TEST_CASE("a device that degrades serves less from then on, and all again when it recovers") {
  PlantOptions options;
  Laws laws;
  laws.reads.miss_ratio = 1;
  Plant plant(options, laws, 1);
  Arrivals arrivals;
  arrivals.closed = true;
  arrivals.reads_per_second = 1;
  plant.set_arrivals(arrivals);
  HostLaws host_laws{8, DeviceLaws{{1e9, 10e3}, {1e9, 10e3}, 0.6, 80e-6}, {{10, 0.5}, {20, 1}}};
  Host host(host_laws, {std::move(plant)});
  std::vector<double> reads;
  for (int i = 0; i < 3; ++i) {
    const double before = host.plant(0).totals().keys_read;
    host.advance(10);
    reads.push_back(host.plant(0).totals().keys_read - before);
  }
  CHECK(reads[1] < 0.65 * reads[0]);
  CHECK(reads[1] > 0.35 * reads[0]);
  CHECK(reads[2] == Approx(reads[0]).epsilon(0.01));
}

TEST_CASE("reads alone: what misses goes to the device") {
  Host host = host_of({}, arrivals(5000, 0));
  host.advance(100);
  CHECK(host.plant(0).totals().keys_read == Approx(500000));
  CHECK(host.plant(0).totals().cache_misses == Approx(100000));
  CHECK(host.plant(0).totals().cache_hits == Approx(400000));
  CHECK(host.device_totals().read_requests == Approx(100000));
  CHECK(read_p99(host) < 1e-3);
  CHECK(host.plant(0).read_latency().response.quantile_seconds(0.5) < 30e-6);
}

TEST_CASE("background writes in large pieces are what reads wait for") {
  PlantOptions large;
  PlantOptions small;
  small.write_piece_bytes = 128 << 10;
  Host one = host_of(large, arrivals(3000, 8000));
  Host other = host_of(small, arrivals(3000, 8000));
  one.advance(300);
  other.advance(300);
  CHECK(read_p99(one) > 5e-3);
  CHECK(read_p99(other) < 0.5 * read_p99(one));
  CHECK(other.plant(0).totals().keys_written == Approx(one.plant(0).totals().keys_written));
}

TEST_CASE("a larger cache misses less") {
  PlantOptions more;
  more.cache_bytes = 64 << 20;
  Host one = host_of({}, arrivals(5000, 0));
  Host other = host_of(more, arrivals(5000, 0));
  one.advance(10);
  other.advance(10);
  CHECK(other.plant(0).totals().cache_misses ==
        Approx(one.plant(0).totals().cache_misses * std::pow(8, -0.6)));
}

// Look-ups that missed in the last of these seconds.
double misses_of_last_second(Host& host, double seconds) {
  host.advance(seconds - 1);
  const double before = host.plant(0).totals().cache_misses;
  host.advance(1);
  return host.plant(0).totals().cache_misses - before;
}

TEST_CASE("a cache that was grown fills with what misses it, and one that was shrunk is small") {
  PlantOptions options;
  options.cache_bytes = 8 << 20;
  Host host = host_of(options, arrivals(1000, 0));
  CHECK(host.plant(0).cached_bytes() == options.cache_bytes);
  CHECK(misses_of_last_second(host, 1) == Approx(200));
  options.cache_bytes = 64 << 20;
  host.plant(0).set_options(options);
  // 200 blocks of 4 KiB a second, and fewer as it fills.
  CHECK(misses_of_last_second(host, 1) == Approx(200).epsilon(0.1));
  CHECK(host.plant(0).cached_bytes() == Approx((8 << 20) + 0.8e6).epsilon(0.01));
  const double later = misses_of_last_second(host, 30);
  CHECK(later < 0.8 * 200);
  CHECK(later > 1.2 * 200 * std::pow(8, -0.6));
  CHECK(misses_of_last_second(host, 600) == Approx(200 * std::pow(8, -0.6)).epsilon(0.01));
  CHECK(host.plant(0).cached_bytes() == options.cache_bytes);
  options.cache_bytes = 8 << 20;
  host.plant(0).set_options(options);
  CHECK(host.plant(0).cached_bytes() == options.cache_bytes);
  CHECK(misses_of_last_second(host, 1) == Approx(200));
}

TEST_CASE("what nobody reads fills no cache") {
  PlantOptions options;
  Host host = host_of(options, arrivals(0, 1000));
  const double full = options.cache_bytes;
  options.cache_bytes = 2 * full;
  host.plant(0).set_options(options);
  host.advance(60);
  CHECK(host.plant(0).cached_bytes() == full);
}

TEST_CASE("two databases share the device") {
  const Host together = [] {
    std::vector<Plant> plants(2, Plant({}, reading_laws(), 0));
    plants[0].set_arrivals(arrivals(3000, 0));
    plants[1].set_arrivals(arrivals(0, 20000));
    Host host(slow_machine(), std::move(plants));
    host.advance(300);
    return host;
  }();
  Host alone = host_of({}, arrivals(3000, 0));
  alone.advance(300);
  CHECK(read_p99(together) > 2 * read_p99(alone));
}

TEST_CASE("more than threads can do is done later, where it is done later at all") {
  Arrivals asked = arrivals(40000, 0);  // 8,000 misses a second; eight threads do fewer
  asked.threads = 1;
  asked.catches_up = true;
  Host host = host_of({}, asked);
  host.advance(10);
  const double done = host.plant(0).totals().keys_read;
  CHECK(done < 400000 * 0.9);
  CHECK(host.plant(0).backlog() == Approx(400000 - done).epsilon(0.01));
  CHECK(read_p99(host) > 0.5);
  host.plant(0).set_arrivals([&] {
    Arrivals less = asked;
    less.reads_per_second = 100;
    return less;
  }());
  host.advance(600);
  CHECK(host.plant(0).backlog() < 1);
  CHECK(host.plant(0).totals().keys_read == Approx(400000 + 60000).epsilon(0.001));
}

TEST_CASE("where one queue feeds readers and writers, a stall of writes keeps reads waiting") {
  PlantOptions narrow;
  narrow.delayed_write_rate = 1 << 20;
  Arrivals asked = arrivals(5000, 40000);
  Host apart = host_of(narrow, asked);
  asked.one_queue = true;
  Host queued = host_of(narrow, asked);
  apart.advance(300);
  queued.advance(300);
  REQUIRE(queued.plant(0).totals().delayed_seconds > 30);
  CHECK(queued.plant(0).totals().keys_read < 0.8 * apart.plant(0).totals().keys_read);
}

TEST_CASE("the CPUs bound what is done") {
  HostLaws one_cpu = slow_machine();
  one_cpu.cpus = 1;
  Laws quick = reading_laws();
  quick.reads.miss_ratio = 0;
  Host host(one_cpu, {Plant({}, quick, 0)});
  Arrivals asked = arrivals(1, 0);
  asked.closed = true;
  host.plant(0).set_arrivals(asked);
  host.advance(10);
  CHECK(host.plant(0).totals().keys_read == Approx(10 / quick.reads.read_seconds).epsilon(0.01));
  CHECK(host.cpu_seconds() == Approx(10).epsilon(0.01));
}

}  // namespace
}  // namespace rocktune::sim
