#include "daemon/sources/cgroup_io.h"

#include <array>
#include <string_view>
#include <vector>

#include "files/text_file.h"
#include "files/words.h"

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

// One kind of I/O: what it is called in io.max and io.stat, and where it goes.
struct Kind {
  std::string_view limit, count;
  Counter HostReading::* most;
  Counter HostReading::* done;
};
constexpr std::array kKinds = {
    Kind{"rbps", "rbytes", &HostReading::io_read_bytes_limit, &HostReading::io_read_bytes},
    Kind{"wbps", "wbytes", &HostReading::io_write_bytes_limit, &HostReading::io_write_bytes},
    Kind{"riops", "rios", &HostReading::io_reads_limit, &HostReading::io_reads},
    Kind{"wiops", "wios", &HostReading::io_writes_limit, &HostReading::io_writes}};

// Of each kind the nearest group counts that limits it, with what that group has done: its children
// are in there.
void read_v2(const std::string& group, const std::string& device, HostReading& r) {
  std::vector<const Kind*> here;
  of_device(group + "/io.max", device, [&](const auto& words) {
    for (const Kind& kind : kKinds) {
      if (r.*kind.most) continue;
      r.*kind.most = named(words, kind.limit);
      if (r.*kind.most) here.push_back(&kind);
    }
  });
  if (here.empty()) return;
  of_device(group + "/io.stat", device, [&](const auto& words) {
    for (const Kind* kind : here) r.*kind->done = named(words, kind->count);
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
  const auto count = [&](const char* name, Counter& read, Counter& written) {
    of_device(files + name, device, [&](const auto& words) {  // "8:16 Read 1459200"
      if (words.size() != 2) return;
      if (words[0] == "Read") read = parse_unsigned(words[1]);
      if (words[0] == "Write") written = parse_unsigned(words[1]);
    });
  };
  r.io_read_bytes_limit = limit("read_bps_device");
  r.io_write_bytes_limit = limit("write_bps_device");
  r.io_reads_limit = limit("read_iops_device");
  r.io_writes_limit = limit("write_iops_device");
  if (r.io_read_bytes_limit || r.io_write_bytes_limit) {
    count("io_service_bytes", r.io_read_bytes, r.io_write_bytes);
  }
  if (r.io_reads_limit || r.io_writes_limit) count("io_serviced", r.io_reads, r.io_writes);
}

}  // namespace

void read_cgroup_io(const CgroupDirs& dirs, const std::string& device, HostReading& reading) {
  if (device.empty()) return;
  upwards(dirs.v2, dirs.v2_root,
          [&](const std::string& group) { read_v2(group, device, reading); });
  // Version 1 limits each group by itself, and counts none of its children.
  if (!dirs.v1_io.empty()) read_v1(dirs.v1_io, device, reading);
}

}  // namespace rocktune::daemon
