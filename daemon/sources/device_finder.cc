#include "daemon/sources/device_finder.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <vector>

#include "files/text_file.h"
#include "files/words.h"

namespace rocktune::daemon {
namespace {

namespace fs = std::filesystem;

std::string text(const DeviceNumber& number) {
  return std::to_string(number.major) + ":" + std::to_string(number.minor);
}

std::vector<fs::path> slaves_of(const fs::path& device) {
  std::vector<fs::path> slaves;
  std::error_code error;
  for (fs::directory_iterator it(device / "slaves", error), end; !error && it != end;
       it.increment(error)) {
    slaves.push_back(it->path());
  }
  return slaves;
}

// From a device's sysfs directory to the one whose counters count.
Result<FoundDevice> resolve(fs::path device) {
  constexpr int kDeepest = 8;  // partitions on LVM on LUKS on md ...
  std::error_code error;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const fs::path real = fs::canonical(device, error);
    if (error) return fail(ErrorCode::kNotFound, device.string() + ": " + error.message());
    device = real;
    if (fs::exists(device / "partition", error)) {
      device = device.parent_path();
      continue;
    }
    const std::vector<fs::path> slaves = slaves_of(device);
    if (slaves.size() != 1) {
      const Result<std::string> number = read_text_file((device / "dev").string());
      const auto words = split_words(number ? std::string_view(*number) : std::string_view());
      return FoundDevice{device.filename().string(), (device / "stat").string(),
                         words.size() == 1 ? std::string(words[0]) : std::string()};
    }
    device = slaves.front();
  }
  return fail(ErrorCode::kUnsupported, device.string() + ": too many layers of devices");
}

struct Mount {
  std::string root, point, type, source, super_options;
};

// mountinfo escapes blanks and backslashes as octal: "\040".
std::string unescape(std::string_view field) {
  std::string plain;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] == '\\' && i + 3 < field.size()) {
      const std::string octal(field.substr(i + 1, 3));
      if (octal.find_first_not_of("01234567") == std::string::npos) {
        plain += static_cast<char>(std::stoi(octal, nullptr, 8));
        i += 3;
        continue;
      }
    }
    plain += field[i];
  }
  return plain;
}

// "36 35 98:0 /root /point opts [tag ...] - type source super" (proc_pid_mountinfo(5))
std::optional<Mount> parse_mount(std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  for (std::size_t i = 6; i + 2 < words.size(); ++i) {
    if (words[i] != "-") continue;
    return Mount{unescape(words[3]), unescape(words[4]), unescape(words[i + 1]),
                 unescape(words[i + 2]),
                 i + 3 < words.size() ? unescape(words[i + 3]) : std::string()};
  }
  return std::nullopt;
}

bool holds(const std::string& point, const std::string& path) {
  return point == "/" || path == point ||
         (path.size() > point.size() && path.compare(0, point.size(), point) == 0 &&
          path[point.size()] == '/');
}

Result<Mount> mount_of(const std::string& path, const std::string& mountinfo) {
  const Result<std::string> table = read_text_file(mountinfo);
  if (!table) return tl::unexpected<Error>(table.error());
  std::optional<Mount> best;
  for (const std::string_view line : split_lines(*table)) {
    std::optional<Mount> mount = parse_mount(line);
    if (!mount || !holds(mount->point, path)) continue;
    // A later mount on the same point covers the earlier one.
    if (!best || mount->point.size() >= best->point.size()) best = std::move(mount);
  }
  if (!best) return fail(ErrorCode::kNotFound, path + ": no mount holds it");
  return *std::move(best);
}

// "/dev/mapper/luks" is a name that only the mapper's device knows.
fs::path block_of_source(const std::string& sys_root, const std::string& source) {
  const fs::path all = fs::path(sys_root) / "class/block";
  const std::string name = fs::path(source).filename().string();
  std::error_code error;
  for (fs::directory_iterator it(all, error), end; !error && it != end; it.increment(error)) {
    const Result<std::string> mapped = read_text_file((it->path() / "dm/name").string());
    const auto words = split_words(mapped ? std::string_view(*mapped) : std::string_view());
    if (words.size() == 1 && words[0] == name) return it->path();
  }
  return all / name;
}

// Not what a device that is gone left behind: a living one replaces its file ten times a second.
bool is_published(const std::string& stat_file) {
  constexpr auto kOldest = std::chrono::minutes(1);
  std::error_code error;
  const auto written = fs::last_write_time(stat_file, error);
  return !error && fs::file_time_type::clock::now() - written <= kOldest;
}

std::string option(const std::string& options, const std::string& name) {
  std::size_t begin = 0;
  while (begin < options.size()) {
    const std::size_t comma = std::min(options.find(',', begin), options.size());
    const std::string part = options.substr(begin, comma - begin);
    if (part.compare(0, name.size() + 1, name + "=") == 0) return part.substr(name.size() + 1);
    begin = comma + 1;
  }
  return {};
}

}  // namespace

Result<DeviceNumber> device_of_path(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) {
    return fail(ErrorCode::kNotFound, path + ": " + std::strerror(errno));
  }
  return DeviceNumber{major(info.st_dev), minor(info.st_dev)};
}

std::string emulated_stat_file(const std::string& path) {
  return path + ".device/stat";
}

Result<FoundDevice> find_device(const std::string& path, const std::string& proc_root,
                                const std::string& sys_root, const DeviceOfPath& device_of,
                                const std::string& process) {
  std::error_code error;
  const bool own = process == "self";
  const std::string seen = own ? path : proc_root + "/" + process + "/root" + path;
  if (const std::string stat_file = emulated_stat_file(seen); is_published(stat_file)) {
    return FoundDevice{"emulated:" + fs::path(path).filename().string(), stat_file, ""};
  }
  const Result<DeviceNumber> number = device_of(seen);
  if (!number) return tl::unexpected<Error>(number.error());
  if (number->major != 0) return resolve(fs::path(sys_root) / "dev/block" / text(*number));

  // Links lead to other mounts. Those of another process cannot be followed from here.
  const fs::path real = own ? fs::weakly_canonical(path, error) : fs::path(path);
  const Result<Mount> mount =
      mount_of(error ? path : real.string(), proc_root + "/" + process + "/mountinfo");
  if (!mount) return tl::unexpected<Error>(mount.error());
  if (mount->type == "overlay") {
    const std::string upper = option(mount->super_options, "upperdir");
    const Result<DeviceNumber> below =
        upper.empty() ? fail(ErrorCode::kUnsupported, "it has no upper directory")
                      : device_of(upper);
    if (below && below->major != 0) return resolve(fs::path(sys_root) / "dev/block" / text(*below));
    return fail(ErrorCode::kUnsupported,
                path +
                    " is on an overlay whose upper directory cannot be seen from here: set "
                    "`device_stat` for this target");
  }
  if (mount->source.compare(0, 5, "/dev/") == 0) {
    return resolve(block_of_source(sys_root, mount->source));
  }
  return fail(ErrorCode::kUnsupported,
              path + " is on " + mount->type + ", which has no block device of its own");
}

}  // namespace rocktune::daemon
