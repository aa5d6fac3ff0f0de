#include "trace/open_options_json.h"

#include "trace/json_text.h"

namespace rocktune::trace {

std::optional<std::string> encode_open_options(const OpenOptions& options) {
  if (options.empty()) return std::nullopt;
  Json families = Json::object();
  for (const auto& [name, values] : options.column_families) families[name] = values;
  const Json object = {{"database", options.database},
                       {"column_families", std::move(families)},
                       {"column_families_left_out", options.families_left_out}};
  return json_text(object);
}

Result<OpenOptions> decode_open_options(const std::optional<std::string>& text) {
  if (!text) return OpenOptions();
  try {
    const Json object = Json::parse(*text);
    OpenOptions options;
    options.database = object.at("database").get<OptionValues>();
    options.families_left_out = object.value("column_families_left_out", std::uint64_t{0});
    for (const auto& [name, values] : object.at("column_families").items()) {
      options.column_families[name] = values.get<OptionValues>();
    }
    return options;
  } catch (const std::exception& problem) {
    return fail(ErrorCode::kCorrupt, std::string("its options are damaged: ") + problem.what());
  }
}

}  // namespace rocktune::trace
