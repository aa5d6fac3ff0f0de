#include "tools/control.h"

#include <iostream>

#include "files/peer_process.h"
#include "tools/http_client.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

ErrorCode code_of(unsigned status) {
  switch (status) {
    case 403:
      return ErrorCode::kPermission;
    case 404:
      return ErrorCode::kNotFound;
    case 409:
      return ErrorCode::kConflict;
    case 503:
      return ErrorCode::kUnavailable;
    default:
      return status < 500 ? ErrorCode::kInvalidArgument : ErrorCode::kIo;
  }
}

std::string advice(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound:
      return "; is rocktuned running? (--socket or ROCKTUNE_SOCKET names another one; "
             "`rocktune knobs` shows what stands changed)";
    case ErrorCode::kPermission:
      return "; run rocktune as the user that rocktuned runs as, or as root";
    case ErrorCode::kUnavailable:
      return "; rocktuned may be overloaded or stopped: see its log";
    default:
      return "";
  }
}

}  // namespace

bool is_meant(std::string_view name, std::string_view wanted) {
  if (wanted.empty() || !name.starts_with(wanted)) return false;
  const std::string_view rest = name.substr(wanted.size());
  return rest.empty() || rest == " (read_only)" || rest == " (secondary)";
}

Result<Json> decode_answer(unsigned status, const std::string& body) {
  Json answer = Json::parse(body, nullptr, false);
  if (status >= 200 && status < 300) {
    if (!answer.is_object()) return fail(ErrorCode::kProtocol, "the answer is no JSON object");
    return answer;
  }
  if (answer.is_object() && answer.contains("error") && answer["error"].is_object()) {
    const auto message = answer["error"].find("message");
    if (message != answer["error"].end() && message->is_string()) {
      return fail(code_of(status), message->get<std::string>());
    }
  }
  return fail(code_of(status), "HTTP status " + std::to_string(status));
}

Result<Json> ask_daemon(const std::string& socket, const std::string& method,
                        const std::string& target, const Json& body,
                        std::chrono::milliseconds timeout) {
  Result<void> trusted;
  const auto check = [&](int connected) -> Result<void> {
    const auto peer = peer_process(connected);
    if (!peer) return tl::unexpected(peer.error());
    return trusted = check_daemon(*peer, socket);
  };
  const auto response =
      http_request(socket, {method, target, body.is_null() ? "" : body.dump(), timeout}, check);
  const std::string context = "rocktuned at " + socket;
  if (!trusted) return tl::unexpected(trusted.error().within(context));
  if (!response) {
    Error error = response.error();
    error.message += advice(error.code);
    return tl::unexpected(error.within(context));
  }
  auto answer = decode_answer(response->status, response->body);
  if (!answer) return tl::unexpected(answer.error().within(context));
  return answer;
}

Result<ChangeReport> change_report(const Json& answer, std::string_view done) {
  try {
    std::vector<std::vector<std::string>> rows;
    ChangeReport report;
    for (const Json& entry : answer.at("results")) {
      const auto knob = entry.at("knob").get<std::string>();
      const auto status = entry.at("status").get<std::string>();
      const auto reason = entry.value("reason", std::string());
      // `before` and `after` are missing where nothing was read back.
      const auto value = [&](const char* key) {
        const auto found = entry.find(key);
        return found != entry.end() && found->is_number()
                   ? knob_text(knob, found->get<std::int64_t>())
                   : std::string("?");
      };
      const std::string before = value("before");
      const std::string after = value("after");
      std::string change = before;
      if (after != before) change.append(" -> ").append(after);
      const auto family = entry.value("column_family", std::string());
      rows.push_back({printable(entry.at("target").get<std::string>()),
                      (knob.empty() ? "-" : printable(knob)) +
                          (family.empty() ? "" : " of " + printable(family)),
                      knob.empty() ? "" : change,
                      status == "applied" ? std::string(done) : printable(status),
                      printable(reason)});
      report.left_alone = report.left_alone || status == "manual";
      const bool good = status == "applied" || status == "unchanged" || status == "manual";
      if (!good) report.exit_code = 1;
    }
    report.lines = table(rows, "");
    if (report.lines.empty()) report.lines.emplace_back("nothing to do");
    return report;
  } catch (const Json::exception& problem) {
    return fail(ErrorCode::kProtocol,
                std::string("rocktuned answered what this rocktune does not understand: ") +
                    problem.what());
  }
}

void print_json(const Json& answer) {
  std::cout << answer.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace rocktune::tools
