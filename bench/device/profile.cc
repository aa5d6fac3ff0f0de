#include "bench/device/profile.h"

#include "bench/config/builtin.h"
#include "bench/config/located_yaml.h"

namespace rocktune::bench {

DeviceProfile DeviceProfile::scaled(double factor) const {
  DeviceProfile smaller = *this;
  smaller.read_bytes_per_second /= factor;
  smaller.write_bytes_per_second /= factor;
  smaller.read_iops /= factor;
  smaller.write_iops /= factor;
  return smaller;
}

Result<DeviceProfile> parse_device_profile(const std::string& text, const std::string& file) {
  Problems problems(file);
  DeviceProfile profile;
  if (const auto root = parse_yaml(text, problems)) {
    MapReader map(*root, problems);
    const Range<double> rate{1, 1e15};
    const Range<std::int64_t> latency{0, 10'000'000};
    std::int64_t read_rate = 0;
    std::int64_t write_rate = 0;
    if (!map.text("name", profile.name) && map.is_map()) map.missing("name");
    map.text("description", profile.description);
    for (const auto& [key, out] : {std::pair("read_bytes_per_second", &read_rate),
                                   std::pair("write_bytes_per_second", &write_rate)}) {
      if (!map.node(key)) map.missing(key);
      map.bytes(key, *out, {1, 1'000'000'000'000'000});
    }
    for (const auto& [key, out] : {std::pair("read_iops", &profile.read_iops),
                                   std::pair("write_iops", &profile.write_iops)}) {
      if (!map.node(key)) map.missing(key);
      map.number(key, *out, rate);
    }
    map.number("mixing_loss", profile.mixing_loss, {0, 100});
    map.integer("read_latency_us", profile.read_latency_us, latency);
    map.integer("write_latency_us", profile.write_latency_us, latency);
    map.integer("sync_latency_us", profile.sync_latency_us, latency);
    map.bytes("max_request", profile.max_request_bytes, {4096, 16 << 20});
    map.bytes("write_gather", profile.write_gather_bytes, {0, 16 << 20});
    map.finish();
    profile.read_bytes_per_second = static_cast<double>(read_rate);
    profile.write_bytes_per_second = static_cast<double>(write_rate);
  }
  if (!problems.empty()) return tl::unexpected(problems.error());
  return profile;
}

Result<DeviceProfile> load_device_profile(const std::string& name_or_path) {
  auto text = builtin_or_file(BuiltinKind::kDevice, name_or_path);
  if (!text) return tl::unexpected(text.error());
  return parse_device_profile(text->content, text->name);
}

}  // namespace rocktune::bench
