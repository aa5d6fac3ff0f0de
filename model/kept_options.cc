#include "model/kept_options.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace rocktune {
namespace {

struct ReadOption {
  std::string_view name;
  bool fixed;  // as long as the database is open; others the program or the tuner may set anew
};

constexpr std::array kOfDatabase = {
    ReadOption{"allow_mmap_reads", true},
    ReadOption{"allow_mmap_writes", true},
    ReadOption{"db_write_buffer_size", true},
    ReadOption{"delayed_write_rate", false},
    ReadOption{"manual_wal_flush", true},
    ReadOption{"max_background_compactions", false},
    ReadOption{"max_background_flushes", false},
    ReadOption{"max_background_jobs", false},
    ReadOption{"max_open_files", false},
    ReadOption{"max_subcompactions", false},
    ReadOption{"recycle_log_file_num", true},
    ReadOption{"use_direct_io_for_flush_and_compaction", true},
    ReadOption{"use_direct_reads", true},
    ReadOption{"wal_compression", true},
    ReadOption{"writable_file_max_buffer_size", false},
};

// With those of its block-based tables.
constexpr std::array kOfColumnFamily = {
    ReadOption{"block_size", false},
    ReadOption{"cache_index_and_filter_blocks", true},
    ReadOption{"compaction_style", true},
    ReadOption{"compression", false},
    ReadOption{"disable_auto_compactions", false},
    ReadOption{"enable_blob_files", false},
    ReadOption{"filter_policy", false},
    ReadOption{"partition_filters", true},
};

OptionValues kept(const OptionValues& all, std::span<const ReadOption> options) {
  OptionValues out;
  for (const ReadOption& option : options) {
    const auto found = all.find(std::string(option.name));
    if (found != all.end() && found->second.size() <= kMostValueBytes) out.insert(*found);
  }
  return out;
}

// As JSON: quotes, a colon and a comma for each.
std::size_t bytes_of(const OptionValues& values) {
  constexpr std::size_t kAround = 6;
  std::size_t bytes = 0;
  for (const auto& [name, value] : values) bytes += name.size() + value.size() + kAround;
  return bytes;
}

bool differ(const OptionValues& before, const OptionValues& now,
            std::span<const ReadOption> options) {
  return std::any_of(options.begin(), options.end(), [&](const ReadOption& option) {
    if (!option.fixed) return false;
    const std::string name(option.name);
    const auto old = before.find(name), other = now.find(name);
    return old != before.end() && other != now.end() && old->second != other->second;
  });
}

}  // namespace

OpenOptions kept_options(const OpenOptions& all) {
  OpenOptions out;
  out.database = kept(all.database, kOfDatabase);
  out.families_left_out = all.families_left_out;
  std::size_t bytes = bytes_of(out.database);
  bool full = false;
  for (const auto& [name, values] : all.column_families) {
    OptionValues of_family = kept(values, kOfColumnFamily);
    bytes += bytes_of({{name, ""}}) + bytes_of(of_family);
    full = full || bytes > kMostOptionBytes;
    if (full) {
      ++out.families_left_out;
    } else {
      out.column_families.emplace(name, std::move(of_family));
    }
  }
  return out;
}

bool opened_otherwise(const OpenOptions& before, const OpenOptions& now) {
  if (differ(before.database, now.database, kOfDatabase)) return true;
  return std::any_of(now.column_families.begin(), now.column_families.end(), [&](const auto& one) {
    const auto old = before.column_families.find(one.first);
    return old != before.column_families.end() && differ(old->second, one.second, kOfColumnFamily);
  });
}

}  // namespace rocktune
