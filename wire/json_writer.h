// Writes JSON into a string, front to back, without building a tree first.
//
// A sample goes over the wire twice a second for each database, and is written inside the database
// process: this costs a few appends where a document tree costs an allocation for each value.
// Commas are placed by the writer; the caller keeps begin and end in balance.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace rocktune::wire {

// Length of the valid UTF-8 sequence at the start of `text`, which is not empty; 0 if there is none
// (RFC 3629).
std::size_t utf8_length(std::string_view text);

class JsonWriter {
 public:
  explicit JsonWriter(std::size_t expected_bytes = 256) { out_.reserve(expected_bytes); }

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  // The key of the next value.
  void key(std::string_view name);

  // Text is written as UTF-8; bytes that are not become U+FFFD, so that the message stays readable.
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool flag);
  // Neither infinity nor NaN exists in JSON: they are written as null.
  void value(double number);
  template <std::integral T>
  void value(T number) {
    separate();
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    out_.append(digits, end);
  }

  template <class T>
  void field(std::string_view name, const T& content) {
    key(name);
    value(content);
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void separate() {
    if (comma_) out_ += ',';
    comma_ = true;
  }
  void open(char bracket) {
    separate();
    out_ += bracket;
    comma_ = false;
  }
  void close(char bracket) {
    out_ += bracket;
    comma_ = true;
  }
  void quote(std::string_view text);

  std::string out_;
  bool comma_ = false;  // something stands before the next value
};

}  // namespace rocktune::wire
