// The agent's rate limiter against RocksDB's own, on a real database in a temporary directory.
//
//   limiter_bench request              what one request costs at the unlimited rate
//   limiter_bench unlimited [PAIRS]    filling a database as fast as it goes, in interleaved pairs
//   limiter_bench bursts [ROUNDS]      bursts of writes over compactions that are limited
//
// Figures are of this machine and of this RocksDB; docs/adr/004-own-limiter.md has some.
#include <rocksdb/db.h>
#include <rocksdb/rate_limiter.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "agent/limiter/fair_rate_limiter.h"
#include "agent/listener.h"
#include "tests/support/open_database.h"
#include "wire/messages.h"

namespace rocktune::agent {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
using Limiter = std::shared_ptr<rocksdb::RateLimiter>;

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kUnlimited = wire::kUnlimitedBytesPerSecond;

struct Variant {
  const char* name;
  std::function<Limiter(std::int64_t rate)> make;
};

Variant generic() {
  return {"generic",
          [](std::int64_t rate) { return Limiter(rocksdb::NewGenericRateLimiter(rate)); }};
}

Variant ours(const char* name, int l0_weight) {
  return {name, [l0_weight](std::int64_t rate) {
            auto limiter = std::make_shared<FairRateLimiter>(rate);
            limiter->set_l0_weight(l0_weight);
            return limiter;
          }};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

class Database {
 public:
  explicit Database(Limiter limiter) {
    std::string name = (std::filesystem::temp_directory_path() / "limiter-bench.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) fail("cannot make a directory like " + name);
    directory_ = name;
    open(std::move(limiter));
  }
  ~Database() {
    db_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void open(Limiter limiter) {
    db_.reset();
    limiter_ = std::move(limiter);
    rocksdb::DBOptions options;
    options.create_if_missing = true;
    options.max_background_jobs = 4;
    options.statistics = statistics_;
    options.rate_limiter = limiter_;
    options.delayed_write_rate = 16 * kMiB;
    options.listeners.push_back(
        std::make_shared<Listener>([] { return std::chrono::steady_clock::now(); }));
    // Small, so that there is much to flush and to compact in a short time.
    rocksdb::ColumnFamilyOptions family;
    family.write_buffer_size = 4 * kMiB;
    family.target_file_size_base = 4 * kMiB;
    family.max_bytes_for_level_base = 8 * kMiB;
    family.max_bytes_for_level_multiplier = 4;
    family.compression = rocksdb::kNoCompression;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    const auto status =
        testing::open_database(options, directory_ + "/db", {{"default", family}}, &handles, &db_);
    if (!status.ok()) fail(status.ToString());
    for (auto* const handle : handles) delete handle;
  }

  void put(std::mt19937_64& random) {
    char key[24];
    const int size = std::snprintf(key, sizeof key, "user%012llu",
                                   static_cast<unsigned long long>(random() % kRecords));
    for (std::size_t i = 0; i < value_.size(); i += 8) {
      const auto word = random();
      std::copy_n(reinterpret_cast<const char*>(&word), 8, value_.data() + i);
    }
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    const auto status = db_->Put(options, {key, static_cast<std::size_t>(size)}, value_);
    if (!status.ok()) fail(status.ToString());
  }
  void settle() {
    rocksdb::FlushOptions flush;
    if (!db_->Flush(flush).ok()) fail("the flush failed");
    while (property("rocksdb.compaction-pending") + property("rocksdb.num-running-compactions") >
           0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  [[nodiscard]] std::uint64_t property(const char* name) const {
    std::uint64_t value = 0;
    db_->GetIntProperty(name, &value);
    return value;
  }
  [[nodiscard]] int l0_files() const {
    std::string value;
    db_->GetProperty("rocksdb.num-files-at-level0", &value);
    return std::atoi(value.c_str());
  }
  [[nodiscard]] rocksdb::RateLimiter& limiter() { return *limiter_; }
  [[nodiscard]] rocksdb::Statistics& statistics() { return *statistics_; }

  static constexpr std::uint64_t kRecords = 300'000;
  static constexpr std::int64_t kRecordBytes = 416;

 private:
  [[noreturn]] static void fail(const std::string& why) {
    std::fprintf(stderr, "limiter_bench: %s\n", why.c_str());
    std::exit(1);
  }

  Limiter limiter_;
  const std::shared_ptr<rocksdb::Statistics> statistics_ = rocksdb::CreateDBStatistics();
  std::string directory_;
  std::unique_ptr<rocksdb::DB> db_;
  std::string value_ = std::string(kRecordBytes - 16, 'x');
};

// --- request ------------------------------------------------------------------------------------

double nanoseconds_per_request(const Variant& variant, int threads) {
  constexpr int kRequests = 2'000'000;
  const Limiter limiter = variant.make(kUnlimited);
  std::vector<std::thread> all;
  const auto begin = SteadyClock::now();
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&limiter, i] {
      set_current_job(static_cast<Job>(1 + i % 3));
      for (int n = 0; n < kRequests; ++n) {
        limiter->Request(4096, rocksdb::Env::IO_LOW, nullptr, rocksdb::RateLimiter::OpType::kWrite);
      }
    });
  }
  for (auto& thread : all) thread.join();
  return 1e9 * Seconds(SteadyClock::now() - begin).count() / kRequests;
}

void measure_requests() {
  std::printf("%8s %10s %10s   (ns per request, each thread)\n", "threads", "generic", "ours");
  for (const int threads : {1, 2, 4}) {
    const double theirs = nanoseconds_per_request(generic(), threads);
    std::printf("%8d %10.1f %10.1f\n", threads, theirs,
                nanoseconds_per_request(ours("ours", FairBudget::kDefaultL0Weight), threads));
  }
}

// --- unlimited ----------------------------------------------------------------------------------

struct Filled {
  double operations_per_second = 0;
  double cpu_microseconds = 0;  // of one operation, background work included
};

Filled fill(const Variant& variant) {
  constexpr int kOperations = 600'000;
  Database database(variant.make(kUnlimited));
  std::mt19937_64 random(1);
  const double cpu = cpu_seconds();
  const auto begin = SteadyClock::now();
  for (int i = 0; i < kOperations; ++i) database.put(random);
  database.settle();
  const double seconds = Seconds(SteadyClock::now() - begin).count();
  return {kOperations / seconds, 1e6 * (cpu_seconds() - cpu) / kOperations};
}

void measure_unlimited(int pairs) {
  std::vector<double> speed;
  std::vector<double> cpu;
  fill(generic());  // the first run is slower
  for (int i = 0; i < pairs; ++i) {
    Filled theirs;
    Filled own;
    const auto run_own = [&] { own = fill(ours("ours", FairBudget::kDefaultL0Weight)); };
    if (i % 2 == 1) run_own();
    theirs = fill(generic());
    if (i % 2 == 0) run_own();
    speed.push_back(own.operations_per_second / theirs.operations_per_second);
    cpu.push_back(own.cpu_microseconds / theirs.cpu_microseconds);
    std::printf("pair %d: generic %.0f ops/s %.2f us CPU/op, ours %.0f ops/s %.2f us CPU/op\n",
                i + 1, theirs.operations_per_second, theirs.cpu_microseconds,
                own.operations_per_second, own.cpu_microseconds);
    std::fflush(stdout);
  }
  const auto [least, most] = std::minmax_element(speed.begin(), speed.end());
  std::printf(
      "ours/generic: throughput median %.3f (%.3f to %.3f), CPU per operation median %.3f\n",
      median(speed), *least, *most, median(cpu));
}

// --- bursts -------------------------------------------------------------------------------------

struct Bursts {
  double stalled_seconds = 0;
  double mean_l0 = 0;
  int most_l0 = 0;
  double behind_seconds = 0;  // the longest that a write came after it was due
  double mib_per_second = 0;  // that went through the limiter
  double pending_mib = 0;     // compaction debt at the end
};

constexpr std::int64_t kRate = 24 * kMiB;
constexpr double kSeconds = 45;

// 0.5 MiB/s, and 12 MiB/s in the last third of each 15 s.
double due_bytes(double seconds) {
  const double whole = std::floor(seconds / 15);
  const double rest = seconds - 15 * whole;
  return static_cast<double>(kMiB) *
         (whole * (5 + 5 * 12) + 0.5 * std::min(rest, 10.0) + 12 * std::max(0.0, rest - 10));
}

Bursts run_bursts(const Variant& variant) {
  Database database(generic().make(kUnlimited));
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < Database::kRecords; ++i) database.put(random);
  database.settle();
  // Opened anew: lowering the rate of RocksDB's own has no effect before what it gave out for a
  // tenth of a second at the rate before is used up, which are 110 GB at the unlimited rate.
  database.open(variant.make(kRate));

  Bursts result;
  const auto stalled = [&] { return database.statistics().getTickerCount(rocksdb::STALL_MICROS); };
  const auto stalled_before = stalled();
  const auto bytes_before = database.limiter().GetTotalBytesThrough();
  const auto begin = SteadyClock::now();
  std::atomic<bool> stop{false};
  std::thread observer([&] {
    double sum = 0;
    int samples = 0;
    while (!stop) {
      const int files = database.l0_files();
      sum += files;
      ++samples;
      result.most_l0 = std::max(result.most_l0, files);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    result.mean_l0 = sum / std::max(1, samples);
  });
  double written = 0;
  double due_at = 0;  // when the next byte is due; due_bytes() turned round, in small steps
  for (double now = 0; now < kSeconds; now = Seconds(SteadyClock::now() - begin).count()) {
    while (due_at < kSeconds && due_bytes(due_at) < written) due_at += 0.001;
    result.behind_seconds = std::max(result.behind_seconds, now - due_at);
    if (due_bytes(now) < written) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    database.put(random);
    written += Database::kRecordBytes;
  }
  stop = true;
  observer.join();
  result.stalled_seconds = 1e-6 * static_cast<double>(stalled() - stalled_before);
  result.mib_per_second =
      static_cast<double>(database.limiter().GetTotalBytesThrough() - bytes_before) /
      static_cast<double>(kMiB) / kSeconds;
  result.pending_mib =
      static_cast<double>(database.property("rocksdb.estimate-pending-compaction-bytes")) /
      static_cast<double>(kMiB);
  return result;
}

void measure_bursts(int rounds) {
  const std::vector<Variant> variants = {generic(), ours("ours, weight 1", 1),
                                         ours("ours, weight 4", 4), ours("ours, weight 16", 16)};
  std::printf("%lld MiB/s, %.0f s, bursts of 5 s\n%-16s %9s %8s %8s %9s %8s %12s\n",
              static_cast<long long>(kRate / kMiB), kSeconds, "limiter", "stalled s", "mean L0",
              "most L0", "behind s", "MiB/s", "pending MiB");
  for (int round = 0; round < rounds; ++round) {
    for (const auto& variant : variants) {
      const Bursts result = run_bursts(variant);
      std::printf("%-16s %9.2f %8.2f %8d %9.2f %8.1f %12.0f\n", variant.name,
                  result.stalled_seconds, result.mean_l0, result.most_l0, result.behind_seconds,
                  result.mib_per_second, result.pending_mib);
      std::fflush(stdout);
    }
  }
}

}  // namespace

int run(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int times = argc > 2 ? std::max(1, std::atoi(argv[2])) : 0;
  std::printf("RocksDB %s\n", rocksdb::GetRocksVersionAsString().c_str());
  if (what == "request") {
    measure_requests();
  } else if (what == "unlimited") {
    measure_unlimited(times > 0 ? times : 7);
  } else if (what == "bursts") {
    measure_bursts(times > 0 ? times : 2);
  } else {
    std::fprintf(stderr, "usage: limiter_bench request | unlimited [PAIRS] | bursts [ROUNDS]\n");
    return 2;
  }
  return 0;
}

}  // namespace rocktune::agent

int main(int argc, char** argv) {
  return rocktune::agent::run(argc, argv);
}
