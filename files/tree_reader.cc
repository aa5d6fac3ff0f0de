#include "files/tree_reader.h"

#include <algorithm>
#include <tuple>

namespace rocktune {
namespace {

const std::vector<RawNode>& nothing() {
  static const std::vector<RawNode> kNothing;
  return kNothing;
}

}  // namespace

void TreeReader::complain(const Mark& mark, const std::string& message) {
  mistakes_.push_back({mark, message});
}

std::string TreeReader::text_of(const Mistake& mistake) const {
  return file_ + ":" + std::to_string(mistake.mark.line) + ":" +
         std::to_string(mistake.mark.column) + ": " + mistake.message + remedy_;
}

std::optional<Error> TreeReader::problem() const {
  if (mistakes_.empty()) return std::nullopt;
  return Error{ErrorCode::kCorrupt, text_of(mistakes_.front())};
}

Error TreeReader::problems() const {
  std::vector<Mistake> ordered = mistakes_;
  std::stable_sort(ordered.begin(), ordered.end(), [](const Mistake& one, const Mistake& other) {
    return std::tie(one.mark.line, one.mark.column) < std::tie(other.mark.line, other.mark.column);
  });
  std::string text;
  for (const Mistake& one : ordered) text += (text.empty() ? "" : "\n") + text_of(one);
  return {ErrorCode::kCorrupt, text};
}

bool TreeReader::map(const RawNode& node, std::initializer_list<std::string_view> keys,
                     std::initializer_list<std::string_view> optional) {
  const std::size_t before = mistakes();
  if (node.kind != RawNode::Kind::kMap) {
    complain(node, "a map of key: value was expected");
    return false;
  }
  for (auto entry = node.entries.begin(); entry != node.entries.end(); ++entry) {
    const auto same = [&](const RawEntry& other) { return other.key == entry->key; };
    if (std::any_of(node.entries.begin(), entry, same)) {
      complain(entry->mark, "'" + entry->key + "' is given twice");
    }
    const auto is = [&](std::string_view key) { return key == entry->key; };
    if (std::none_of(keys.begin(), keys.end(), is) &&
        std::none_of(optional.begin(), optional.end(), is)) {
      complain(entry->mark, "'" + entry->key + "' is not known here");
    }
  }
  for (const std::string_view key : keys) {
    const auto has = [&](const RawEntry& entry) { return entry.key == key; };
    if (std::none_of(node.entries.begin(), node.entries.end(), has)) {
      complain(node, "'" + std::string(key) + "' is missing");
    }
  }
  return mistakes() == before;
}

const RawNode& TreeReader::at(const RawNode& map, std::string_view key) {
  static const RawNode kNone;
  const auto found = std::find_if(map.entries.begin(), map.entries.end(),
                                  [&](const RawEntry& entry) { return entry.key == key; });
  return found == map.entries.end() ? kNone : found->value;
}

std::optional<double> TreeReader::number_or_null(const RawNode& node) {
  const bool null = node.kind == RawNode::Kind::kNull;
  return null ? std::nullopt : std::optional(number<double>(node));
}

std::string TreeReader::text(const RawNode& node) {
  if (node.kind == RawNode::Kind::kScalar) return node.text;
  complain(node, "a text was expected");
  return {};
}

const std::vector<RawNode>& TreeReader::list(const RawNode& node) {
  if (node.kind == RawNode::Kind::kList) return node.items;
  complain(node, "a list was expected");
  return nothing();
}

const std::vector<RawNode>& TreeReader::list(const RawNode& node, std::size_t size) {
  const std::vector<RawNode>& items = list(node);
  if (node.kind != RawNode::Kind::kList || items.size() == size) return items;
  complain(node, "a list of " + std::to_string(size) + " was expected, not of " +
                     std::to_string(items.size()));
  return nothing();
}

std::string TreeReader::shown(const RawNode& node) {
  return node.text.substr(0, 40);
}

}  // namespace rocktune
