#include "files/section.h"

#include <algorithm>
#include <numeric>

namespace rocktune {
namespace {

// Levenshtein distance, two rows.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above + 1, row[j - 1] + 1});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  std::string best;
  // Of which more than half were another letter is no misspelling.
  std::size_t best_distance =
      std::min(std::max<std::size_t>(2, name.size() / 3), name.size() / 2) + 1;
  for (const std::string& candidate : known) {
    const std::size_t d = distance(name, candidate);
    if (d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

void Problems::add(const Mark& mark, std::string_view key, std::string_view message) {
  problems_.push_back({mark, file_ + ":" + std::to_string(mark.line) + ":" +
                                 std::to_string(mark.column) + ": " + std::string(key) + ": " +
                                 std::string(message)});
}

void Problems::add_elsewhere(std::string_view origin, std::string_view key,
                             std::string_view message) {
  problems_.push_back(
      {Mark{}, std::string(origin) + ": " + std::string(key) + ": " + std::string(message)});
}

std::vector<std::string> Problems::sorted() const {
  std::vector<Problem> ordered = problems_;
  std::stable_sort(ordered.begin(), ordered.end(), [](const Problem& a, const Problem& b) {
    return std::pair(a.mark.line, a.mark.column) < std::pair(b.mark.line, b.mark.column);
  });
  std::vector<std::string> texts;
  texts.reserve(ordered.size());
  for (Problem& problem : ordered) texts.push_back(std::move(problem.text));
  return texts;
}

Section::Section(Reading& reading, const RawNode* node, std::string prefix)
    : reading_(reading), prefix_(std::move(prefix)) {
  if (node == nullptr || node->kind == RawNode::Kind::kNull) return;
  if (node->kind != RawNode::Kind::kMap) {
    const std::string name = prefix_.empty() ? "(file)" : prefix_.substr(0, prefix_.size() - 1);
    reading_.problems.add(node->mark, name, "expected a section of `key: value` lines");
    return;
  }
  node_ = node;
  for (std::size_t i = 0; i < node_->entries.size(); ++i) {
    const RawEntry& later = node_->entries[i];
    const RawEntry* first = entry(later.key);
    if (first != &later) {
      reading_.problems.add(later.mark, prefix_ + later.key,
                            "duplicate key; it is given first in line " +
                                std::to_string(first->mark.line) + ": remove one of them");
    }
  }
}

const RawEntry* Section::entry(std::string_view key) const {
  if (node_ == nullptr) return nullptr;
  for (const RawEntry& candidate : node_->entries) {
    if (candidate.key == key) return &candidate;
  }
  return nullptr;
}

bool Section::has(std::string_view key) const {
  return entry(key) != nullptr;
}

bool Section::given(std::string_view key) const {
  const std::string full = prefix_ + std::string(key);
  return has(key) || std::any_of(reading_.raw.overrides.begin(), reading_.raw.overrides.end(),
                                 [&](const Override& one) { return one.key == full; });
}

void Section::learn(std::string_view key) {
  known_.emplace_back(key);
  reading_.known.insert(prefix_ + std::string(key));
}

Section Section::section(std::string_view key) {
  known_.emplace_back(key);
  const RawEntry* found = entry(key);
  return {reading_, found == nullptr ? nullptr : &found->value, prefix_ + std::string(key) + "."};
}

const RawNode* Section::list(std::string_view key) {
  known_.emplace_back(key);
  const RawEntry* found = entry(key);
  if (found == nullptr || found->value.kind == RawNode::Kind::kNull) return nullptr;
  if (found->value.kind == RawNode::Kind::kList) return &found->value;
  reading_.problems.add(found->value.mark, prefix_ + std::string(key), "expected a list");
  return nullptr;
}

const RawNode* Section::free_map(std::string_view key) {
  known_.emplace_back(key);
  const RawEntry* found = entry(key);
  if (found == nullptr || found->value.kind == RawNode::Kind::kNull) return nullptr;
  if (found->value.kind == RawNode::Kind::kMap) return &found->value;
  reading_.problems.add(found->value.mark, prefix_ + std::string(key),
                        "expected a section of `name: value` lines");
  return nullptr;
}

Section::Source Section::find(std::string_view key) {
  learn(key);
  const std::string full = prefix_ + std::string(key);
  Source source;
  if (const RawEntry* found = entry(key)) {
    source.mark = found->value.mark;
    if (found->value.kind == RawNode::Kind::kScalar) {
      source.text = &found->value.text;
      source.origin = reading_.raw.file + ":" + std::to_string(found->value.mark.line);
    } else if (found->value.kind == RawNode::Kind::kNull) {
      reading_.problems.add(found->mark, full, "has no value: give one, or remove the line");
    } else {
      reading_.problems.add(found->value.mark, full, "expected a single value");
    }
  }
  for (const Override& given : reading_.raw.overrides) {
    if (given.key != full) continue;
    source = {&given.text, given.origin, {}, false};
  }
  return source;
}

void Section::report(const Source& source, std::string_view key, std::string_view message) {
  const std::string full = prefix_ + std::string(key);
  if (source.in_file) {
    reading_.problems.add(source.mark, full, message);
  } else {
    reading_.problems.add_elsewhere(source.origin, full, message);
  }
}

void Section::note(std::string_view key, std::string value, std::string origin) {
  reading_.settings.push_back({prefix_ + std::string(key), std::move(value), std::move(origin)});
}

void Section::complain(std::string_view key, std::string_view message) {
  Source source;
  const std::string full = prefix_ + std::string(key);
  if (const RawEntry* found = entry(key)) source.mark = found->value.mark;
  for (const Override& given : reading_.raw.overrides) {
    if (given.key == full) source = {&given.text, given.origin, {}, false};
  }
  if (source.in_file && source.mark.line == 0 && node_ != nullptr) source.mark = node_->mark;
  if (source.in_file && source.mark.line == 0) {
    reading_.problems.add_elsewhere("default", full, message);
    return;
  }
  report(source, key, message);
}

void Section::finish() {
  if (node_ == nullptr) return;
  for (const RawEntry& found : node_->entries) {
    if (std::find(known_.begin(), known_.end(), found.key) != known_.end()) continue;
    if (entry(found.key) != &found) continue;  // its first one is reported
    const std::string guess = nearest(found.key, known_);
    reading_.problems.add(found.mark, prefix_ + found.key,
                          guess.empty() ? "unknown key; the keys here are " + join(known_)
                                        : "unknown key; did you mean '" + guess + "'?");
  }
}

}  // namespace rocktune
