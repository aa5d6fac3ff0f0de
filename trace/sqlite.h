// SQLite with errors as Result: a connection and a prepared statement.
//
// Values are bound and read from left to right, so that the code that writes a row and the code
// that reads it follow one list of columns. Unsigned 64-bit values are stored as SQLite's signed
// integers with the same bits. Not thread-safe.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model/result.h"

namespace rocktune::trace {

class Connection {
 public:
  // `name` is a path or a file: URI, as `flags` (SQLITE_OPEN_*) say.
  static Result<Connection> open(const std::string& name, int flags);

  Result<void> run(const std::string& sql);  // statements without results
  Result<std::int64_t> number(const std::string& sql);
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  [[nodiscard]] Error error() const;  // of the last call that failed
  [[nodiscard]] bool in_transaction() const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

class Statement {
 public:
  static Result<Statement> prepare(const Connection& connection, const std::string& sql);

  // Makes the statement ready for new values.
  Statement& restart();
  Statement& put(std::int64_t value);
  Statement& put(std::uint64_t value) { return put(static_cast<std::int64_t>(value)); }
  Statement& put(int value) { return put(static_cast<std::int64_t>(value)); }
  Statement& put(bool value) { return put(static_cast<std::int64_t>(value)); }
  Statement& put(double value);
  Statement& put(std::string_view text);
  Statement& put(const std::string& text) { return put(std::string_view(text)); }
  Statement& put(const char* text) { return put(std::string_view(text)); }
  Statement& put_blob(std::string_view bytes);
  Statement& put_null();
  template <class T>
  Statement& put(const std::optional<T>& value) {
    return value ? put(*value) : put_null();
  }

  Result<bool> step();     // true: there is a row
  Result<void> execute();  // runs a statement without rows, and frees its locks

  // The current row's next column.
  std::int64_t take_int() { return sqlite3_column_int64(get(), column_++); }
  std::uint64_t take_unsigned() { return static_cast<std::uint64_t>(take_int()); }
  bool take_bool() { return take_int() != 0; }
  double take_real() { return sqlite3_column_double(get(), column_++); }
  std::string take_text();
  std::optional<std::string_view> take_blob();  // valid until the next step
  std::optional<std::int64_t> take_optional_int() {
    const int column = column_++;
    const std::int64_t value = sqlite3_column_int64(get(), column);
    // NULL reads as 0, which few are.
    if (value == 0 && sqlite3_column_type(get(), column) == SQLITE_NULL) return std::nullopt;
    return value;
  }
  std::optional<std::uint64_t> take_optional_unsigned() {
    const auto value = take_optional_int();
    return value ? std::optional(static_cast<std::uint64_t>(*value)) : std::nullopt;
  }
  std::optional<double> take_optional_real();
  std::optional<std::string> take_optional_text();

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  [[nodiscard]] sqlite3_stmt* get() const { return handle_.get(); }
  bool take_null();  // skips the column if it is NULL
  Statement& bound(int code);

  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  int bind_ = 0;
  int column_ = 0;
  int bind_error_ = SQLITE_OK;
};

// An SQLite result code as an error of ours.
Error sqlite_error(int code, const std::string& message);

}  // namespace rocktune::trace
