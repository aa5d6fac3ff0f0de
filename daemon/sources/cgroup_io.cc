#include "daemon/sources/cgroup_io.h"

#include <string_view>

#include "daemon/sources/text_file.h"

namespace rocktune::daemon {
namespace {

// The words after the device's number in each of its lines.
template <class Take>
void of_device(const std::string& file, const std::string& device, Take take) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return;
  for (const std::string_view line : split_lines(*text)) {
    std::vector<std::string_view> words = split_words(line);
    if (words.empty() || words[0] != device) continue;
    words.erase(words.begin());
    take(words);
  }
}

// "rbps=2097152 wbps=max": "max" is no number, and no limit.
Counter named(const std::vector<std::string_view>& words, std::string_view name) {
  for (const std::string_view word : words) {
    const std::size_t equals = word.find('=');
    if (equals == name.size() && word.substr(0, equals) == name) {
      return parse_unsigned(word.substr(equals + 1));
    }
  }
  return std::nullopt;
}

bool any_limit(const HostReading& r) {
  return r.io_read_bytes_limit || r.io_write_bytes_limit || r.io_reads_limit || r.io_writes_limit;
}

void read_v2(const std::string& group, const std::string& device, HostReading& r) {
  of_device(group + "/io.max", device, [&](const auto& words) {
    r.io_read_bytes_limit = named(words, "rbps");
    r.io_write_bytes_limit = named(words, "wbps");
    r.io_reads_limit = named(words, "riops");
    r.io_writes_limit = named(words, "wiops");
  });
  if (!any_limit(r)) return;
  of_device(group + "/io.stat", device, [&](const auto& words) {
    r.io_read_bytes = named(words, "rbytes");
    r.io_write_bytes = named(words, "wbytes");
    r.io_reads = named(words, "rios");
    r.io_writes = named(words, "wios");
  });
}

void read_v1(const std::string& group, const std::string& device, HostReading& r) {
  const std::string files = group + "/blkio.throttle.";
  const auto limit = [&](const char* name) {  // "8:16 1048576"
    Counter value;
    of_device(files + name, device, [&](const auto& words) {
      if (words.size() == 1) value = parse_unsigned(words[0]);
    });
    return value;
  };
  const auto count = [&](const char* name, std::string_view operation) {  // "8:16 Read 1459200"
    Counter value;
    of_device(files + name, device, [&](const auto& words) {
      if (words.size() == 2 && words[0] == operation) value = parse_unsigned(words[1]);
    });
    return value;
  };
  r.io_read_bytes_limit = limit("read_bps_device");
  r.io_write_bytes_limit = limit("write_bps_device");
  r.io_reads_limit = limit("read_iops_device");
  r.io_writes_limit = limit("write_iops_device");
  if (!any_limit(r)) return;
  r.io_read_bytes = count("io_service_bytes", "Read");
  r.io_write_bytes = count("io_service_bytes", "Write");
  r.io_reads = count("io_serviced", "Read");
  r.io_writes = count("io_serviced", "Write");
}

}  // namespace

void read_cgroup_io(const CgroupDirs& dirs, const std::string& device, HostReading& reading) {
  if (device.empty()) return;
  const auto look = [&](auto read) {
    return [&reading, &device, read](const std::string& group) {
      if (!any_limit(reading)) read(group, device, reading);
    };
  };
  upwards(dirs.v2, dirs.v2_root, look(read_v2));
  upwards(dirs.v1_io, dirs.v1_io_root, look(read_v1));
}

}  // namespace rocktune::daemon
