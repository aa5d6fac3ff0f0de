#include "tools/options_check.h"

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "tools/text.h"

namespace rocktune::tools {
namespace {

struct ComparedOption {
  std::string_view name;
  Counter ColumnFamilyReading::* recorded;
};

constexpr std::array<ComparedOption, 9> kComparedOptions{{
    {"write_buffer_size", &ColumnFamilyReading::write_buffer_bytes},
    {"max_write_buffer_number", &ColumnFamilyReading::max_write_buffer_number},
    {"level0_file_num_compaction_trigger", &ColumnFamilyReading::level0_compaction_trigger},
    {"level0_slowdown_writes_trigger", &ColumnFamilyReading::level0_slowdown_trigger},
    {"level0_stop_writes_trigger", &ColumnFamilyReading::level0_stop_trigger},
    {"soft_pending_compaction_bytes_limit", &ColumnFamilyReading::soft_pending_limit_bytes},
    {"hard_pending_compaction_bytes_limit", &ColumnFamilyReading::hard_pending_limit_bytes},
    {"target_file_size_base", &ColumnFamilyReading::target_file_bytes},
    {"max_bytes_for_level_base", &ColumnFamilyReading::max_bytes_for_level_base_bytes},
}};

std::optional<std::int64_t> number_of(const OptionValues& options, std::string_view name) {
  const auto found = options.find(std::string(name));
  if (found == options.end()) return std::nullopt;
  const std::string& text = found->second;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void compare(const OptionValues& options, const advice::FamilyEvidence& family,
             const KnobReadings& knobs, std::vector<OptionDifference>& out) {
  for (const ComparedOption& one : kComparedOptions) {
    const auto in_file = number_of(options, one.name);
    const Counter& read = family.last.*one.recorded;
    if (!in_file || !read) continue;
    const auto recorded = static_cast<std::int64_t>(*read);
    const KnobReading* knob = knobs.find(one.name, family.name);
    const bool as_found = knob != nullptr && knob->found == *in_file;
    if (*in_file == recorded || as_found) continue;
    out.push_back({family.name, std::string(one.name), knob_text(one.name, *in_file),
                   knob_text(one.name, recorded)});
  }
}

}  // namespace

std::vector<OptionDifference> option_differences(const OpenOptions& file,
                                                 const advice::Evidence& evidence) {
  std::vector<OptionDifference> out;
  for (const auto& [name, family] : evidence.families) {
    const auto options = file.column_families.find(name);
    if (options == file.column_families.end()) {
      out.push_back({name, "", "", ""});
    } else {
      compare(options->second, family, evidence.knobs, out);
    }
  }
  return out;
}

}  // namespace rocktune::tools
