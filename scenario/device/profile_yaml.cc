// Profiles from and to YAML.
#include <charconv>
#include <cmath>
#include <cstdio>

#include "scenario/device/profile.h"
#include "scenario/located_yaml.h"

namespace rocktune::scenario {
namespace {

constexpr std::int64_t kLargestRate = 1'000'000'000'000'000;
constexpr Range<double> kLatencyUs{0, 10'000'000};
constexpr Range<double> kRatesFactor{0.001, 1000};
constexpr Range<double> kAfterSeconds{0, 1e9};

void read_rate(MapReader& map, const std::string& key, double& out, bool required) {
  std::int64_t rate = 0;
  if (required && !map.node(key)) map.missing(key);
  if (map.bytes(key, rate, {1, kLargestRate})) out = static_cast<double>(rate);
}

void read_iops(MapReader& map, const std::string& key, double& out) {
  if (!map.node(key)) map.missing(key);
  map.number(key, out, {1, 1e15});
}

// {64KiB: 200, 1MiB: 370}
void read_sized(MapReader& map, const std::string& key, std::vector<SizedLatency>& out,
                Problems& problems) {
  const auto node = map.node(key);
  if (!node) return;
  MapReader sizes(*node, problems, key + ".");
  if (!sizes.is_map()) return;
  for (const auto& entry : *node) {
    const std::string& size = entry.first.Scalar();
    SizedLatency latency;
    const auto bytes = parse_bytes(size);
    if (!bytes || *bytes <= (out.empty() ? 4096 : out.back().bytes)) {
      sizes.problem(size, "is no request size above " +
                              std::to_string(out.empty() ? 4096 : out.back().bytes) +
                              " bytes (sizes rise, and start above the 4 KiB of the plain key)");
    }
    if (sizes.number(size, latency.latency_us, kLatencyUs) && bytes) {
      latency.bytes = *bytes;
      out.push_back(latency);
    }
  }
  sizes.finish();
}

void read_growth(MapReader& map, ReadLatencyGrowth& out, Problems& problems) {
  const auto node = map.node("read_latency_growth");
  if (!node) return;
  MapReader growth(*node, problems, "read_latency_growth.");
  growth.number("load", out.load, {0, 1000});
  growth.number("read_weight", out.read_weight, {0, 1});
  growth.number("writes", out.writes, {0, 1000});
  growth.number("writes_half", out.writes_half, {0, 1});
  growth.finish();
}

void read_cache(MapReader& map, WriteCacheProfile& out, Problems& problems) {
  const auto node = map.node("write_cache");
  if (!node) return;
  MapReader cache(*node, problems, "write_cache.");
  if (!cache.is_map()) return;
  if (!cache.node("bytes")) cache.missing("bytes");
  cache.bytes("bytes", out.bytes, {1 << 20, kLargestRate});
  read_rate(cache, "behind_bytes_per_second", out.behind_bytes_per_second, true);
  out.drain_bytes_per_second = out.behind_bytes_per_second;
  read_rate(cache, "drain_bytes_per_second", out.drain_bytes_per_second, false);
  cache.finish();
}

void read_degradation(MapReader& map, std::vector<Degradation>& out, Problems& problems) {
  const auto node = map.node("degradation");
  if (!node) return;
  if (!node->IsSequence()) {
    map.problem("degradation", "is no list of {after_seconds: 60, rates: 0.5}");
    return;
  }
  for (const auto& element : *node) {
    MapReader step(element, problems, "degradation.");
    if (!step.is_map()) continue;
    Degradation degradation;
    for (const char* key : {"after_seconds", "rates"}) {
      if (!step.node(key)) step.missing(key);
    }
    const bool timed = step.number("after_seconds", degradation.after_seconds, kAfterSeconds);
    step.number("rates", degradation.rates, kRatesFactor);
    if (timed && !out.empty() && degradation.after_seconds <= out.back().after_seconds) {
      step.problem("after_seconds", "is not later than the step before it");
    }
    step.finish();
    out.push_back(degradation);
  }
}

void read_profile(MapReader& map, DeviceProfile& profile, Problems& problems) {
  if (!map.text("name", profile.name) && map.is_map()) map.missing("name");
  map.text("description", profile.description);
  read_rate(map, "read_bytes_per_second", profile.read_bytes_per_second, true);
  read_rate(map, "write_bytes_per_second", profile.write_bytes_per_second, true);
  read_iops(map, "read_iops", profile.read_iops);
  read_iops(map, "write_iops", profile.write_iops);
  map.number("mixing_loss", profile.mixing_loss, {0, 100});
  map.number("read_latency_us", profile.read_latency_us, kLatencyUs);
  map.number("write_latency_us", profile.write_latency_us, kLatencyUs);
  map.integer("sync_latency_us", profile.sync_latency_us, {0, 10'000'000});
  read_sized(map, "larger_read_latency_us", profile.larger_read_latency_us, problems);
  read_sized(map, "larger_write_latency_us", profile.larger_write_latency_us, problems);
  read_growth(map, profile.read_latency_growth, problems);
  map.bytes("write_buffer", profile.write_buffer_bytes, {0, std::int64_t{64} << 30});
  read_cache(map, profile.write_cache, problems);
  read_degradation(map, profile.degradation, problems);
  map.bytes("max_request", profile.max_request_bytes, {4096, 16 << 20});
  map.bytes("write_gather", profile.write_gather_bytes, {0, 16 << 20});
}

// A scalar that YAML cannot take for anything else.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

std::string whole(double value) {
  return std::to_string(std::llround(value));
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string sized(const std::string& key, const std::vector<SizedLatency>& latencies) {
  if (latencies.empty()) return "";
  std::string out = key + ": {";
  for (const SizedLatency& latency : latencies) {
    if (&latency != &latencies.front()) out += ", ";
    out += std::to_string(latency.bytes) + ": " + short_number(latency.latency_us);
  }
  return out + "}\n";
}

std::optional<double> whole_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Result<DeviceProfile> parse_device_profile(const std::string& text, const std::string& file) {
  Problems problems(file);
  DeviceProfile profile;
  if (const auto root = parse_yaml(text, problems)) {
    MapReader map(*root, problems);
    read_profile(map, profile, problems);
    map.finish();
  }
  if (!problems.empty()) return tl::unexpected(problems.error());
  return profile;
}

Result<Degradation> parse_degradation(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos) {
    const auto after = whole_number(std::string_view(text).substr(0, colon));
    const auto rates = whole_number(std::string_view(text).substr(colon + 1));
    if (after && rates && *after >= kAfterSeconds.min && *after <= kAfterSeconds.max &&
        *rates >= kRatesFactor.min && *rates <= kRatesFactor.max) {
      return Degradation{*after, *rates};
    }
  }
  return fail(ErrorCode::kInvalidArgument,
              "degradation '" + text +
                  "' is not SECONDS:FACTOR, such as 60:0.5 for half of every rate from second 60 "
                  "on (factor 0.001 to 1000)");
}

std::string format_device_profile(const DeviceProfile& p) {
  std::string out = "name: " + quoted(p.name) + "\ndescription: " + quoted(p.description) +
                    "\nread_bytes_per_second: " + whole(p.read_bytes_per_second) +
                    "\nwrite_bytes_per_second: " + whole(p.write_bytes_per_second) +
                    "\nread_iops: " + whole(p.read_iops) + "\nwrite_iops: " + whole(p.write_iops) +
                    "\nmixing_loss: " + short_number(p.mixing_loss) +
                    "\nread_latency_us: " + short_number(p.read_latency_us) +
                    "\nwrite_latency_us: " + short_number(p.write_latency_us) + "\n" +
                    sized("larger_read_latency_us", p.larger_read_latency_us) +
                    sized("larger_write_latency_us", p.larger_write_latency_us) +
                    "sync_latency_us: " + std::to_string(p.sync_latency_us) + "\n";
  if (const ReadLatencyGrowth& g = p.read_latency_growth; g != ReadLatencyGrowth{}) {
    out += "read_latency_growth: {load: " + short_number(g.load) +
           ", read_weight: " + short_number(g.read_weight) + ", writes: " + short_number(g.writes) +
           ", writes_half: " + short_number(g.writes_half) + "}\n";
  }
  if (p.write_buffer_bytes > 0) {
    out += "write_buffer: " + std::to_string(p.write_buffer_bytes) + "\n";
  }
  if (const WriteCacheProfile& c = p.write_cache; c.bytes > 0) {
    out += "write_cache: {bytes: " + std::to_string(c.bytes) +
           ", behind_bytes_per_second: " + whole(c.behind_bytes_per_second) +
           ", drain_bytes_per_second: " + whole(c.drain_bytes_per_second) + "}\n";
  }
  if (!p.degradation.empty()) out += "degradation:\n";
  for (const Degradation& step : p.degradation) {
    out += "  - {after_seconds: " + short_number(step.after_seconds) +
           ", rates: " + short_number(step.rates) + "}\n";
  }
  return out + "max_request: " + std::to_string(p.max_request_bytes) +
         "\nwrite_gather: " + std::to_string(p.write_gather_bytes) + "\n";
}

}  // namespace rocktune::scenario
