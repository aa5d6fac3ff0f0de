#include "agent/packed_event.h"

#include <cstdint>
#include <cstring>

namespace rocktune::agent {
namespace {

template <class T>
void append(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

void append_text(std::string& out, std::string_view text) {
  append(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

template <class T>
T take(std::string_view& rest) {
  T value{};
  rest.copy(reinterpret_cast<char*>(&value), sizeof(T));
  rest.remove_prefix(sizeof(T));
  return value;
}

std::string_view take_text(std::string_view& rest) {
  const auto size = take<std::uint32_t>(rest);
  const auto text = rest.substr(0, size);
  rest.remove_prefix(size);
  return text;
}

// So that the content is one allocation of the right size.
std::size_t packed_size(const wire::Event& event) {
  constexpr std::size_t kLength = sizeof(std::uint32_t);
  std::size_t size = 3 * kLength + event.kind.size() + event.column_family.size();
  for (const auto& [name, value] : event.numbers) size += kLength + name.size() + sizeof value;
  for (const auto& [name, text] : event.words) size += 2 * kLength + name.size() + text.size();
  return size;
}

}  // namespace

PackedEvent::PackedEvent(const wire::Event& event)
    : sequence_(event.sequence), tick_ns_(event.tick_ns), wall_ns_(event.wall_ns) {
  content_.reserve(packed_size(event));
  append_text(content_, event.kind);
  append_text(content_, event.column_family);
  append(content_, static_cast<std::uint32_t>(event.numbers.size()));
  for (const auto& [name, value] : event.numbers) {
    append_text(content_, name);
    append(content_, value);
  }
  for (const auto& [name, text] : event.words) {
    append_text(content_, name);
    append_text(content_, text);
  }
}

std::string_view PackedEvent::kind() const {
  std::string_view rest = content_;
  return take_text(rest);
}

wire::Event PackedEvent::unpack() const {
  wire::Event event;
  event.sequence = sequence_;
  event.tick_ns = tick_ns_;
  event.wall_ns = wall_ns_;
  std::string_view rest = content_;
  event.kind = take_text(rest);
  event.column_family = take_text(rest);
  for (auto count = take<std::uint32_t>(rest); count > 0; --count) {
    std::string name(take_text(rest));
    event.numbers.emplace_hint(event.numbers.end(), std::move(name), take<std::int64_t>(rest));
  }
  while (!rest.empty()) {
    std::string name(take_text(rest));
    event.words.emplace_hint(event.words.end(), std::move(name), take_text(rest));
  }
  return event;
}

}  // namespace rocktune::agent
