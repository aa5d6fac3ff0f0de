#include "scenario/builtin.h"

#include "files/text_file.h"

namespace rocktune::scenario {

bool is_file(const std::string& name_or_path) {
  return name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".yaml");
}

Result<NamedText> builtin_or_file(const Builtins& builtins, const std::string& name_or_path) {
  if (is_file(name_or_path)) {
    auto text = read_text_file(name_or_path);
    if (!text) return tl::unexpected(text.error());
    return NamedText{name_or_path, std::move(*text)};
  }
  std::string known;
  for (const Builtin& builtin : builtins) {
    if (builtin.name == name_or_path) {
      return NamedText{"built-in " + name_or_path + ".yaml", std::string(builtin.content)};
    }
    known += (known.empty() ? "" : ", ") + std::string(builtin.name);
  }
  return fail(ErrorCode::kNotFound, "'" + name_or_path + "' is no built-in (known: " + known +
                                        ") and no path: a file's path has a '/' or ends in .yaml");
}

}  // namespace rocktune::scenario
