#include "bench/host/configuration.h"

#include <algorithm>
#include <cmath>

#include "bench/config/builtin.h"
#include "bench/config/located_yaml.h"

namespace rocktune::bench {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 50;

void read_fields(MapReader& map, HostConfiguration& c) {
  const Range<std::int64_t> size{4096, kLargest};
  const Range<std::int64_t> count{1, 10000};
  map.bytes("block_cache", c.block_cache_bytes, {0, kLargest});
  map.integer("bloom_bits_per_key", c.bloom_bits_per_key, {0, 64});
  map.flag("partitioned_filters", c.partitioned_filters);
  map.flag("cache_index_and_filter_blocks", c.cache_index_and_filter_blocks);
  map.bytes("write_buffer_size", c.write_buffer_bytes, size);
  map.integer("max_write_buffer_number", c.max_write_buffer_number, {2, 64});
  map.bytes("target_file_size_base", c.target_file_bytes, size);
  map.bytes("max_bytes_for_level_base", c.max_bytes_for_level_base, size);
  map.integer("level0_file_num_compaction_trigger", c.level0_compaction_trigger, count);
  map.integer("level0_slowdown_writes_trigger", c.level0_slowdown_trigger, count);
  map.integer("level0_stop_writes_trigger", c.level0_stop_trigger, count);
  map.bytes("soft_pending_compaction_bytes_limit", c.soft_pending_limit_bytes, size);
  map.bytes("hard_pending_compaction_bytes_limit", c.hard_pending_limit_bytes, size);
  map.integer("max_background_jobs", c.max_background_jobs, {2, 256});
  map.integer("max_subcompactions", c.max_subcompactions, {1, 64});
  map.bytes("rate_limit", c.rate_limit_bytes_per_second, {0, kLargest});
  map.bytes("compaction_readahead_size", c.compaction_readahead_bytes, {0, 1 << 30});
}

void check_relations(MapReader& map, const HostConfiguration& c) {
  // RocksDB accepts these and then stalls at once (see model/knobs.h on its missing checks).
  if (c.level0_slowdown_trigger < c.level0_compaction_trigger ||
      c.level0_stop_trigger < c.level0_slowdown_trigger) {
    map.problem("level0_stop_writes_trigger",
                "needs level0 compaction trigger <= slowdown trigger <= stop trigger");
  }
  if (c.hard_pending_limit_bytes < c.soft_pending_limit_bytes) {
    map.problem("hard_pending_compaction_bytes_limit", "must not be below the soft limit");
  }
  if (c.partitioned_filters && c.bloom_bits_per_key == 0) {
    map.problem("partitioned_filters", "needs bloom_bits_per_key above 0");
  }
}

}  // namespace

HostConfiguration HostConfiguration::scaled(double factor) const {
  HostConfiguration smaller = *this;
  const auto divide = [factor](std::int64_t& value, std::int64_t least) {
    const auto quotient = std::llround(static_cast<double>(value) / factor);
    if (value > 0) value = std::max<std::int64_t>(std::min(value, least), quotient);
  };
  constexpr std::int64_t kLeast = 64 << 10;
  divide(smaller.block_cache_bytes, kLeast);
  divide(smaller.write_buffer_bytes, kLeast);
  divide(smaller.target_file_bytes, kLeast);
  divide(smaller.max_bytes_for_level_base, kLeast);
  divide(smaller.soft_pending_limit_bytes, kLeast);
  divide(smaller.hard_pending_limit_bytes, kLeast);
  divide(smaller.compaction_readahead_bytes, kLeast);
  divide(smaller.rate_limit_bytes_per_second, 1);
  return smaller;
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
  Problems problems("--config");
  MapReader map(node, problems);
  HostConfiguration changed = *this;
  read_fields(map, changed);
  Problems unknown("");
  MapReader again(node, unknown);
  HostConfiguration ignored;
  read_fields(again, ignored);
  again.finish();
  if (problems.empty() && unknown.empty()) check_relations(map, changed);
  if (!problems.empty()) {
    return fail(ErrorCode::kInvalidArgument, problems.error().message);
  }
  if (unknown.empty()) {
    *this = changed;
  } else {
    rocksdb_options[key] = value;  // RocksDB says whether it knows it
  }
  return {};
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
        HostConfiguration configuration;
        configuration.name = entry.first.Scalar();
        MapReader map(entry.second, problems, configuration.name + ".");
        read_fields(map, configuration);
        check_relations(map, configuration);
        map.finish();
        if (!all.emplace(configuration.name, configuration).second) {
          problems.add(entry.first.Mark(), configuration.name, "is given twice");
        }
      }
    }
  }
  if (!problems.empty()) return tl::unexpected(problems.error());
  return all;
}

Result<HostConfiguration> load_configuration(const std::string& name) {
  std::string source = "source-000";
  std::string wanted = name;
  if (const auto colon = name.rfind(".yaml:"); colon != std::string::npos) {
    source = name.substr(0, colon + 5);
    wanted = name.substr(colon + 6);
  }
  auto text = builtin_or_file(BuiltinKind::kConfigurations, source);
  if (!text) return tl::unexpected(text.error());
  auto all = parse_configurations(text->content, text->name);
  if (!all) return tl::unexpected(all.error());
  const auto found = all->find(wanted);
  if (found != all->end()) return found->second;
  std::string known;
  for (const auto& [key, value] : *all) known += (known.empty() ? "" : ", ") + key;
  return fail(ErrorCode::kNotFound,
              "configuration '" + wanted + "' is not in " + text->name + "; it has: " + known);
}

}  // namespace rocktune::bench
