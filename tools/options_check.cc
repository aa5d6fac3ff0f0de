#include "tools/options_check.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "model/family_options.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

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
  for (const FamilyOption& one : kFamilyOptions) {
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
