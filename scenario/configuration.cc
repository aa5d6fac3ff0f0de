#include "scenario/configuration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "scenario/builtin.h"

namespace rocktune::scenario {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 50;
constexpr std::array<std::pair<CompactionStyle, const char*>, 3> kStyles = {
    {{CompactionStyle::kLevel, "level"},
     {CompactionStyle::kUniversal, "universal"},
     {CompactionStyle::kFifo, "fifo"}}};
constexpr std::array<std::pair<Memtable, const char*>, 2> kMemtables = {
    {{Memtable::kSkipList, "skiplist"}, {Memtable::kVector, "vector"}}};

template <class T, std::size_t N>
std::string name_in(const std::array<std::pair<T, const char*>, N>& names, T wanted) {
  for (const auto& [value, name] : names) {
    if (value == wanted) return name;
  }
  return "";
}

template <class T, std::size_t N>
void read_name(MapReader& map, const std::string& key,
               const std::array<std::pair<T, const char*>, N>& names, T& out) {
  std::string given;
  if (!map.text(key, given)) return;
  std::string known;
  for (const auto& [value, name] : names) {
    if (given == name) {
      out = value;
      return;
    }
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  map.problem(key, "'" + given + "' is not known; known: " + known);
}

void read_rocksdb_options(MapReader& map, std::map<std::string, std::string>& out) {
  const auto node = map.node("rocksdb_options");
  if (!node) return;
  if (!node->IsMap()) {
    map.problem("rocksdb_options", "must be a map of option: value");
    return;
  }
  for (const auto& entry : *node) {
    if (entry.second.IsScalar()) {
      out[entry.first.Scalar()] = entry.second.Scalar();
    } else {
      map.problem("rocksdb_options", entry.first.Scalar() + " must be a single value: quote it");
    }
  }
}

void read_family(MapReader& map, FamilyConfiguration& c) {
  const Range<std::int64_t> size{4096, kLargest};
  const Range<std::int64_t> count{1, 10000};
  read_name(map, "compaction_style", kStyles, c.compaction_style);
  read_name(map, "memtable", kMemtables, c.memtable);
  map.bytes("write_buffer_size", c.write_buffer_bytes, size);
  map.integer("max_write_buffer_number", c.max_write_buffer_number, {2, 64});
  map.bytes("target_file_size_base", c.target_file_bytes, size);
  map.integer("target_file_size_multiplier", c.target_file_multiplier, {1, 100});
  map.bytes("max_bytes_for_level_base", c.max_bytes_for_level_base, size);
  map.number("max_bytes_for_level_multiplier", c.max_bytes_for_level_multiplier, {1.1, 1000});
  map.integer("level0_file_num_compaction_trigger", c.level0_compaction_trigger, count);
  map.integer("level0_slowdown_writes_trigger", c.level0_slowdown_trigger, count);
  map.integer("level0_stop_writes_trigger", c.level0_stop_trigger, count);
  map.bytes("soft_pending_compaction_bytes_limit", c.soft_pending_limit_bytes, size);
  map.bytes("hard_pending_compaction_bytes_limit", c.hard_pending_limit_bytes, size);
}

void read_database(MapReader& map, HostConfiguration& c) {
  map.bytes("block_cache", c.block_cache_bytes, {0, kLargest});
  map.bytes("block_size", c.block_size_bytes, {512, 1 << 24});
  map.integer("bloom_bits_per_key", c.bloom_bits_per_key, {0, 64});
  map.flag("partitioned_filters", c.partitioned_filters);
  map.flag("cache_index_and_filter_blocks", c.cache_index_and_filter_blocks);
  map.integer("max_background_jobs", c.max_background_jobs, {2, 256});
  map.integer("max_subcompactions", c.max_subcompactions, {1, 64});
  map.bytes("rate_limit", c.rate_limit_bytes_per_second, {0, kLargest});
  map.flag("auto_tuned_rate_limit", c.auto_tuned_rate_limit);
  map.bytes("compaction_readahead_size", c.compaction_readahead_bytes, {0, 1 << 30});
  map.bytes("writable_file_max_buffer_size", c.writable_file_max_buffer_bytes, {4096, 1 << 30});
  map.flag("use_direct_io_for_flush_and_compaction", c.direct_io_for_flush_and_compaction);
  map.flag("use_direct_reads", c.direct_reads);
}

void check_family(MapReader& map, const FamilyConfiguration& c) {
  // RocksDB accepts these and then stalls at once (see model/knobs.h on its missing checks).
  if (c.level0_slowdown_trigger < c.level0_compaction_trigger ||
      c.level0_stop_trigger < c.level0_slowdown_trigger) {
    map.problem("level0_stop_writes_trigger",
                "needs level0 compaction trigger <= slowdown trigger <= stop trigger");
  }
  if (c.hard_pending_limit_bytes < c.soft_pending_limit_bytes) {
    map.problem("hard_pending_compaction_bytes_limit", "must not be below the soft limit");
  }
}

void check_relations(MapReader& map, const HostConfiguration& c) {
  check_family(map, c);
  if (c.partitioned_filters && c.bloom_bits_per_key == 0) {
    map.problem("partitioned_filters", "needs bloom_bits_per_key above 0");
  }
  if (c.auto_tuned_rate_limit && c.rate_limit_bytes_per_second == 0) {
    map.problem("auto_tuned_rate_limit", "needs a rate_limit, which is the most it may give");
  }
}

// Each family begins as the configuration's own.
void read_families(MapReader& map, const std::string& prefix, Problems& problems,
                   HostConfiguration& c) {
  const auto node = map.node("families");
  if (!node) return;
  if (!node->IsMap()) {
    map.problem("families", "must be a map of column family: options");
    return;
  }
  for (const auto& entry : *node) {
    const std::string family = entry.first.Scalar();
    std::string qualified = prefix;
    qualified.append("families.").append(family).append(".");
    MapReader inner(entry.second, problems, qualified);
    FamilyConfiguration own = c;
    own.rocksdb_options.clear();  // the configuration's apply to all families anyway
    if (const auto before = c.families.find(family); before != c.families.end()) {
      own = before->second;
    }
    read_family(inner, own);
    read_rocksdb_options(inner, own.rocksdb_options);
    check_family(inner, own);
    inner.finish();
    c.families[family] = std::move(own);
  }
}

// Looking up a base parses the file that it stands in, bases and all: two that name each other
// would never end.
class BaseLookup {
 public:
  BaseLookup() { ++depth_; }
  ~BaseLookup() { --depth_; }
  BaseLookup(const BaseLookup&) = delete;
  BaseLookup& operator=(const BaseLookup&) = delete;
  [[nodiscard]] static bool too_deep() { return depth_ > 8; }

 private:
  static thread_local int depth_;
};
thread_local int BaseLookup::depth_ = 0;

void read_base(MapReader& map, const std::map<std::string, HostConfiguration>& earlier,
               HostConfiguration& c) {
  std::string base;
  if (!map.text("base", base)) return;
  const BaseLookup lookup;
  if (const auto found = earlier.find(base); found != earlier.end()) {
    c = found->second;
  } else if (BaseLookup::too_deep()) {
    map.problem("base", "'" + base + "' stands on itself, or on what comes after it");
  } else if (auto loaded = load_configuration(base)) {
    c = std::move(*loaded);
  } else {
    map.problem("base", loaded.error().message);
  }
}

void divide(std::int64_t& value, double factor, std::int64_t least) {
  const auto quotient = std::llround(static_cast<double>(value) / factor);
  if (value > 0) value = std::max<std::int64_t>(std::min(value, least), quotient);
}

constexpr std::int64_t kLeastBytes = 64 << 10;

void scale_family(FamilyConfiguration& c, double factor) {
  divide(c.write_buffer_bytes, factor, kLeastBytes);
  divide(c.target_file_bytes, factor, kLeastBytes);
  divide(c.max_bytes_for_level_base, factor, kLeastBytes);
  divide(c.soft_pending_limit_bytes, factor, kLeastBytes);
  divide(c.hard_pending_limit_bytes, factor, kLeastBytes);
}

// Whether one of the readers asks for this key.
template <class C, class Read>
bool known_to(const YAML::Node& node, Read read) {
  C ignored;
  Problems unknown("");
  MapReader map(node, unknown);
  read(map, ignored);
  if (!unknown.empty()) return true;  // known, if with a wrong value
  map.finish();
  return unknown.empty();
}

}  // namespace

std::string compaction_style_name(CompactionStyle style) {
  return name_in(kStyles, style);
}

std::string memtable_name(Memtable memtable) {
  return name_in(kMemtables, memtable);
}

HostConfiguration HostConfiguration::scaled(double factor) const {
  HostConfiguration smaller = *this;
  divide(smaller.block_cache_bytes, factor, kLeastBytes);
  divide(smaller.compaction_readahead_bytes, factor, kLeastBytes);
  divide(smaller.writable_file_max_buffer_bytes, factor, kLeastBytes);
  divide(smaller.rate_limit_bytes_per_second, factor, 1);
  scale_family(smaller, factor);
  for (auto& [family, own] : smaller.families) scale_family(own, factor);
  return smaller;
}

const FamilyConfiguration& HostConfiguration::family(const std::string& family_name) const {
  const auto found = families.find(family_name);
  return found == families.end() ? *this : found->second;
}

Result<void> HostConfiguration::set(const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    return fail(ErrorCode::kInvalidArgument, "--config " + assignment + ": write it as KEY=VALUE");
  }
  const std::string key = assignment.substr(0, equals);
  const std::string value = assignment.substr(equals + 1);

  // The key's own reader says whether it is one of ours: it is then asked for, hence not unknown.
  YAML::Node node(YAML::NodeType::Map);
  node[key] = value;
  const bool of_family = known_to<FamilyConfiguration>(node, read_family);
  if (!of_family && !known_to<HostConfiguration>(node, read_database)) {
    rocksdb_options[key] = value;  // RocksDB says whether it knows it
    return {};
  }
  Problems problems("--config");
  MapReader map(node, problems);
  HostConfiguration changed = *this;
  if (of_family) {
    read_family(map, changed);
    for (auto& [family_name, own] : changed.families) {
      Problems same("");  // the same mistakes once more
      MapReader again(node, same);
      read_family(again, own);
    }
  } else {
    read_database(map, changed);
  }
  if (problems.empty()) check_relations(map, changed);
  if (!problems.empty()) return tl::unexpected(problems.error());
  *this = std::move(changed);
  return {};
}

HostConfiguration read_configuration(const YAML::Node& node, Problems& problems,
                                     const std::string& prefix,
                                     const std::map<std::string, HostConfiguration>& earlier) {
  HostConfiguration c;
  MapReader map(node, problems, prefix);
  read_base(map, earlier, c);
  read_family(map, c);
  read_database(map, c);
  read_rocksdb_options(map, c.rocksdb_options);
  check_relations(map, c);
  read_families(map, prefix, problems, c);
  map.finish();
  return c;
}

Result<std::map<std::string, HostConfiguration>> parse_configurations(const std::string& text,
                                                                      const std::string& file) {
  Problems problems(file);
  std::map<std::string, HostConfiguration> all;
  if (const auto root = parse_yaml(text, problems)) {
    if (!root->IsMap()) {
      problems.add(root->Mark(), "", "must be a map of name: configuration");
    } else {
      for (const auto& entry : *root) {
        const std::string name = entry.first.Scalar();
        HostConfiguration c = read_configuration(entry.second, problems, name + ".", all);
        c.name = name;
        if (!all.emplace(name, std::move(c)).second) {
          problems.add(entry.first.Mark(), name, "is given twice");
        }
      }
    }
  }
  if (!problems.empty()) return tl::unexpected(problems.error());
  return all;
}

namespace {

Result<HostConfiguration> load_from_file(const std::string& file, const std::string& wanted) {
  auto text = builtin_or_file(builtin_configurations(), file);
  if (!text) return tl::unexpected(text.error());
  auto all = parse_configurations(text->content, text->name);
  if (!all) return tl::unexpected(all.error());
  if (const auto found = all->find(wanted); found != all->end()) return found->second;
  std::string known;
  for (const auto& [key, value] : *all) known += (known.empty() ? "" : ", ") + key;
  return fail(ErrorCode::kNotFound,
              "configuration '" + wanted + "' is not in " + text->name + "; it has: " + known);
}

// Whether the file has the name at all, so that a `base` in a file can name one of another file
// without the two parsing each other for ever.
bool has_name(const Builtin& builtin, const std::string& wanted, std::string& known) {
  Problems problems{std::string(builtin.name)};
  const auto root = parse_yaml(std::string(builtin.content), problems);
  if (!root || !root->IsMap()) return false;
  for (const auto& entry : *root) {
    if (entry.first.Scalar() == wanted) return true;
    known += (known.empty() ? "" : ", ") + entry.first.Scalar();
  }
  return false;
}

}  // namespace

Result<HostConfiguration> load_configuration(const std::string& name) {
  if (const auto colon = name.rfind(".yaml:"); colon != std::string::npos) {
    return load_from_file(name.substr(0, colon + 5), name.substr(colon + 6));
  }
  std::string known;
  for (const Builtin& builtin : builtin_configurations()) {
    if (has_name(builtin, name, known)) return load_from_file(std::string(builtin.name), name);
  }
  return fail(ErrorCode::kNotFound, "configuration '" + name + "' is no built-in (known: " + known +
                                        "); one of a file is FILE.yaml:NAME");
}

}  // namespace rocktune::scenario
