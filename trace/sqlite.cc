#include "trace/sqlite.h"

#include "trace/checked_pages.h"

namespace rocktune::trace {

Error sqlite_error(int code, const std::string& message) {
  if (code == SQLITE_IOERR_DATA) {
    return {ErrorCode::kCorrupt,
            "the file is damaged, or another program changed it (the checksum of a page differs)"};
  }
  switch (code & 0xff) {
    case SQLITE_FULL:
      return {ErrorCode::kIo, "the disk is full (" + message + "); free some space"};
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return {ErrorCode::kCorrupt, "the file is damaged or no SQLite database (" + message + ")"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::kUnavailable, "another process holds a lock on it (" + message + ")"};
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      return {ErrorCode::kPermission, message + "; check the permissions of it and its directory"};
    case SQLITE_CONSTRAINT:
    case SQLITE_MISUSE:
      return {ErrorCode::kInvalidArgument, message};
    default:
      return {ErrorCode::kIo, message};
  }
}

Result<Connection> Connection::open(const std::string& name, int flags) {
  const auto vfs = checked_pages_vfs();
  if (!vfs) return tl::unexpected(vfs.error());
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, *vfs);
  Connection connection;
  connection.handle_.reset(handle);
  if (code != SQLITE_OK) {
    return tl::unexpected(
        sqlite_error(code, handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code)));
  }
  sqlite3_extended_result_codes(handle, 1);
  return connection;
}

Error Connection::error() const {
  return sqlite_error(sqlite3_errcode(handle()), sqlite3_errmsg(handle()));
}

bool Connection::in_transaction() const {
  return sqlite3_get_autocommit(handle()) == 0;
}

Result<void> Connection::run(const std::string& sql) {
  if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return tl::unexpected(error());
  }
  return {};
}

Result<std::int64_t> Connection::number(const std::string& sql) {
  auto statement = Statement::prepare(*this, sql);
  if (!statement) return tl::unexpected(statement.error());
  const auto row = statement->step();
  if (!row) return tl::unexpected(row.error());
  return *row ? statement->take_int() : 0;
}

Result<Statement> Statement::prepare(const Connection& connection, const std::string& sql) {
  sqlite3_stmt* handle = nullptr;
  const int code =
      sqlite3_prepare_v3(connection.handle(), sql.c_str(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(connection.error());
  Statement statement;
  statement.handle_.reset(handle);
  return statement;
}

Statement& Statement::restart() {
  sqlite3_reset(get());
  sqlite3_clear_bindings(get());
  bind_ = 0;
  bind_error_ = SQLITE_OK;
  return *this;
}

Statement& Statement::bound(int code) {
  if (code != SQLITE_OK) bind_error_ = code;
  return *this;
}

Statement& Statement::put(std::int64_t value) {
  return bound(sqlite3_bind_int64(get(), ++bind_, value));
}

Statement& Statement::put(double value) {
  return bound(sqlite3_bind_double(get(), ++bind_, value));
}

Statement& Statement::put(std::string_view text) {
  return bound(sqlite3_bind_text64(get(), ++bind_, text.data() == nullptr ? "" : text.data(),
                                   text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

Statement& Statement::put_blob(std::string_view bytes) {
  return bound(sqlite3_bind_blob64(get(), ++bind_, bytes.data() == nullptr ? "" : bytes.data(),
                                   bytes.size(), SQLITE_TRANSIENT));
}

Statement& Statement::put_null() {
  return bound(sqlite3_bind_null(get(), ++bind_));
}

Result<bool> Statement::step() {
  if (bind_error_ != SQLITE_OK) {
    return tl::unexpected(sqlite_error(bind_error_, sqlite3_errstr(bind_error_)));
  }
  column_ = 0;
  const int code = sqlite3_step(get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  Error error = sqlite_error(code, sqlite3_errmsg(sqlite3_db_handle(get())));
  sqlite3_reset(get());
  return tl::unexpected(std::move(error));
}

Result<void> Statement::execute() {
  const auto stepped = step();
  sqlite3_reset(get());
  if (!stepped) return tl::unexpected(stepped.error());
  return {};
}

std::string Statement::take_text() {
  const int column = column_++;
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(get(), column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(get(), column))};
}

bool Statement::take_null() {
  if (sqlite3_column_type(get(), column_) != SQLITE_NULL) return false;
  ++column_;
  return true;
}

std::optional<std::string_view> Statement::take_blob() {
  if (take_null()) return std::nullopt;
  const int column = column_++;
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(get(), column));
  if (bytes == nullptr) return std::string_view();
  return std::string_view(bytes, static_cast<std::size_t>(sqlite3_column_bytes(get(), column)));
}

std::optional<double> Statement::take_optional_real() {
  if (take_null()) return std::nullopt;
  return take_real();
}

std::optional<std::string> Statement::take_optional_text() {
  if (take_null()) return std::nullopt;
  return take_text();
}

}  // namespace rocktune::trace
