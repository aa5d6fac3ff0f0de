#include "policy/policy_choice.h"

#include <charconv>
#include <cmath>
#include <set>

#include "policy/policy.h"

namespace rocktune {
namespace {

tl::unexpected<Error> bad_choice(std::string_view text, const std::string& why) {
  return fail(ErrorCode::kInvalidArgument,
              "policy \"" + std::string(text) + "\": " + why +
                  "; a policy is NAME, NAME:param=value or LABEL=NAME:param=value");
}

// Takes what stands before the next ':' off the rest.
std::string_view next_part(std::string_view& rest) {
  const std::size_t end = rest.find(':');
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

std::string shortest_number(double value) {
  char digits[32];
  const auto written = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, written.ptr};
}

Result<void> add_param(std::string_view text, std::string_view part, PolicyParams& params) {
  const std::size_t equal = part.find('=');
  if (equal == std::string_view::npos || equal == 0) {
    return bad_choice(text, "\"" + std::string(part) + "\" is no param=value");
  }
  const std::string name(part.substr(0, equal));
  const std::string_view digits = part.substr(equal + 1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) {
    return bad_choice(text, "\"" + std::string(digits) + "\" of " + name + " is no number");
  }
  if (!params.emplace(name, value).second) return bad_choice(text, name + " is given twice");
  return {};
}

}  // namespace

Result<PolicyChoice> parse_policy_choice(std::string_view text) {
  PolicyChoice choice;
  std::string_view rest = text;
  const std::size_t equal = text.find('=');
  if (equal < text.find(':')) {
    choice.label = text.substr(0, equal);
    if (choice.label.empty()) return bad_choice(text, "its label is empty");
    rest = text.substr(equal + 1);
  }
  const bool has_params = rest.find(':') != std::string_view::npos;
  choice.name = next_part(rest);
  if (has_params && rest.empty()) return bad_choice(text, "nothing stands after \":\"");
  while (!rest.empty()) {
    const bool more = rest.find(':') != std::string_view::npos;
    if (auto added = add_param(text, next_part(rest), choice.params); !added) {
      return tl::unexpected(added.error());
    }
    if (more && rest.empty()) return bad_choice(text, "nothing stands after \":\"");
  }
  if (choice.label.empty()) choice.label = std::string(text);
  if (auto made = make_policy(choice.name, choice.params); !made) {
    return tl::unexpected(made.error());
  }
  return choice;
}

Result<std::vector<PolicyChoice>> parse_policy_choices(const std::vector<std::string>& texts) {
  std::vector<PolicyChoice> choices;
  std::set<std::string> labels;
  for (const std::string& text : texts) {
    auto choice = parse_policy_choice(text);
    if (!choice) return tl::unexpected(choice.error());
    if (!labels.insert(choice->label).second) {
      return fail(ErrorCode::kInvalidArgument,
                  "policy \"" + choice->label +
                      "\" is given twice; name one of them with LABEL=NAME:param=value");
    }
    choices.push_back(*std::move(choice));
  }
  return choices;
}

std::string choice_text(const std::string& name, const PolicyParams& params) {
  std::string text = name;
  for (const auto& [param, value] : params) text += ":" + param + "=" + shortest_number(value);
  return text;
}

EngineConfig engine_of(const EngineConfig& recorded, const PolicyChoice& choice) {
  EngineConfig engine = recorded;
  if (choice.name != recorded.policy) engine.policy_params.clear();
  engine.policy = choice.name;
  for (const auto& [param, value] : choice.params) engine.policy_params[param] = value;
  return engine;
}

}  // namespace rocktune
