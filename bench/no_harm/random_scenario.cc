#include "bench/no_harm/random_scenario.h"

#include <algorithm>
#include <vector>

#include "bench/no_harm/dice.h"
#include "bench/no_harm/random_workload.h"

namespace rocktune::bench {
namespace {

constexpr double kMebibyte = 1 << 20;
// HostConfiguration::scaled() makes no buffer smaller.
constexpr double kLeastBuffer = 64.0 * (1 << 10);

std::string random_device(Dice& dice, double seconds) {
  std::string device =
      dice.one_of<const char*>({"nvme-p41", "nvme-p41", "nvme-p41", "nvme-p41-small-cache",
                                "nvme-pcie4-fio", "nvme-pcie4-latency-x4"});
  if (!dice.chance(0.35)) return device;
  const double at = seconds * dice.between(0.1, 0.7);
  device += "@" + plain_number(at, 2) + ":" + plain_number(dice.across(0.05, 0.7), 2);
  if (dice.chance(0.5))
    device += "@" + plain_number(at + seconds * dice.between(0.1, 0.25), 2) + ":1";
  return device;
}

std::string bytes_text(double bytes) {
  return plain_number(bytes, 0);
}

void add_line(std::string& out, const std::string& key, const std::string& value) {
  out += key + ": " + value + "\n";
}

// Level 0 and what is pending: from nervous to indulgent, in the order that RocksDB needs.
void add_stall_limits(Dice& dice, std::string& out) {
  if (dice.chance(0.5)) {
    const std::int64_t compact = dice.whole(2, 10);
    const std::int64_t slow = compact + dice.whole(1, 20);
    add_line(out, "level0_file_num_compaction_trigger", std::to_string(compact));
    add_line(out, "level0_slowdown_writes_trigger", std::to_string(slow));
    add_line(out, "level0_stop_writes_trigger", std::to_string(slow + dice.whole(1, 24)));
  }
  if (dice.chance(0.3)) {
    const double soft = dice.across(512, 65536) * kMebibyte;
    add_line(out, "soft_pending_compaction_bytes_limit", bytes_text(soft));
    add_line(out, "hard_pending_compaction_bytes_limit", bytes_text(soft * dice.between(1.2, 5)));
  }
}

void add_limiter(Dice& dice, std::string& out) {
  if (dice.chance(0.45)) {
    add_line(out, "rate_limit", "0");
    return;
  }
  // Life size: below a hundredth of what the device writes, or nearly all of it.
  add_line(out, "rate_limit", bytes_text(dice.across(32, 4096) * kMebibyte));
  if (dice.chance(0.15)) add_line(out, "auto_tuned_rate_limit", "true");
}

void add_reads(Dice& dice, std::string& out) {
  if (dice.chance(0.6)) add_line(out, "block_cache", bytes_text(dice.across(32, 2048) * kMebibyte));
  const double kind = dice.between(0, 1);
  if (kind < 0.2) {
    out += "bloom_bits_per_key: 0\npartitioned_filters: false\n";
  } else if (kind < 0.5) {
    add_line(out, "bloom_bits_per_key", std::to_string(dice.whole(4, 16)));
    add_line(out, "partitioned_filters", dice.chance(0.5) ? "true" : "false");
  }
  if (dice.chance(0.3)) {
    add_line(out, "cache_index_and_filter_blocks", dice.chance(0.5) ? "true" : "false");
  }
}

// Sizes at life size: the scenario's scale divides them.
std::string random_configuration(Dice& dice, double write_buffer) {
  std::string out;
  add_line(out, "base",
           dice.one_of<const char*>({"Baseline", "ReadOpt-512MB", "ReadOpt-1GB", "Mild-Pressure"}));
  add_line(out, "write_buffer_size", bytes_text(write_buffer));
  add_line(out, "max_write_buffer_number", std::to_string(dice.whole(2, 6)));
  if (dice.chance(0.5)) add_line(out, "max_background_jobs", std::to_string(dice.whole(2, 8)));
  if (dice.chance(0.4)) add_line(out, "max_subcompactions", std::to_string(dice.whole(1, 4)));
  if (dice.chance(0.4)) {
    add_line(out, "target_file_size_base", bytes_text(dice.across(8, 128) * kMebibyte));
    add_line(out, "max_bytes_for_level_base", bytes_text(dice.across(64, 1024) * kMebibyte));
  }
  if (dice.chance(0.08)) add_line(out, "compaction_style", "universal");
  add_stall_limits(dice, out);
  add_limiter(dice, out);
  add_reads(dice, out);
  return out;
}

// Some that any tuner could keep and some that none could.
std::string random_objective(Dice& dice, std::int64_t databases, double scale) {
  std::vector<std::string> firsts = {"throughput", "stall_seconds", "write_amplification"};
  std::string out;
  const auto add_limit = [&](const char* metric, double share, double low, double high) {
    if (!dice.chance(share)) return;
    out += (out.empty() ? "" : ", ") + std::string(metric) + ": " +
           plain_number(dice.across(low, high), 0) + "us";
    firsts.insert(firsts.begin(), metric);
  };
  add_limit("read_p99", 0.7, 200, 200'000);
  add_limit("update_p99", 0.6, 500, 500'000);
  add_limit("insert_p99", 0.15, 500, 500'000);
  add_limit("scan_p99", 0.15, 1000, 500'000);
  const auto budget = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  if (dice.chance(0.5)) {
    const double memory =
        dice.across(128, 3072) * kMebibyte * static_cast<double>(databases) / scale;
    budget("memory: " + plain_number(memory, 0));
  }
  if (dice.chance(0.85)) budget("jobs: " + std::to_string(dice.whole(2, 8) * databases));
  if (dice.chance(0.3)) budget("device_share: " + plain_number(dice.between(0.2, 1), 2));
  budget("first: " + firsts[static_cast<std::size_t>(
                         dice.whole(0, static_cast<std::int64_t>(firsts.size()) - 1))]);
  return "{" + out + "}";
}

// Every line of `text` so far to the right.
std::string moved_right(const std::string& text, std::size_t spaces) {
  std::string out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1);
    out += std::string(spaces, ' ') + text.substr(begin, end + 1 - begin);
    begin = end + 1;
  }
  return out;
}

std::string random_database(Dice& dice, const std::string& name, double seconds, double scale,
                            std::int64_t most_threads) {
  const double write_buffer = dice.across(16, 192) * kMebibyte;
  const double used = std::max(kLeastBuffer, write_buffer / scale);
  const std::string workload =
      random_workload(dice, seconds, most_threads, static_cast<std::int64_t>(used));
  const std::string configuration = random_configuration(dice, write_buffer);
  return "  - name: " + name + "\n    workload:\n" + moved_right(workload, 6) +
         "    configuration:\n" + moved_right(configuration, 6);
}

}  // namespace

std::string random_scenario(std::uint64_t seed, std::int64_t number, double seconds) {
  Dice dice(seed, static_cast<std::uint64_t>(number));
  const double scale = dice.one_of<double>({32, 64, 64, 128});
  const std::int64_t databases = dice.chance(0.25) ? 2 : 1;
  const std::string which = "seed " + std::to_string(seed) + ", number " + std::to_string(number);
  std::string out = "# Made by `rocktune-bench no-harm`: " + which + ".\n";
  add_line(out, "name", "random-" + std::to_string(seed) + "-" + std::to_string(number));
  add_line(out, "description", "\"By chance: " + which + "\"");
  add_line(out, "objective", random_objective(dice, databases, scale));
  add_line(out, "device", random_device(dice, seconds));
  add_line(out, "scale", plain_number(scale, 0));
  out += "databases:\n" + random_database(dice, "main", seconds, scale, 16 / databases);
  if (databases > 1) out += random_database(dice, "other", seconds, scale, 16 / databases);
  return out;
}

}  // namespace rocktune::bench
