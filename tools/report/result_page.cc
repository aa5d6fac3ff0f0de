#include "tools/report/result_page.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "tools/claims.h"
#include "tools/json_fields.h"
#include "tools/replay_text.h"
#include "tools/report/result_sections.h"
#include "tools/sweep_plan.h"
#include "wire/json_text.h"

namespace rocktune::tools {
namespace {

struct ResultKind {
  const char* schema;
  const char* command;
  const char* list;  // of objects: what the result is about
  std::vector<page::Section> (*sections)(const Json&);
};

// The lines of one replay's policies and targets are one document here, with those in this list.
constexpr const char* kReplays = "replays";

constexpr ResultKind kResultKinds[] = {
    {"rocktune-simulate/1", "rocktune simulate", "policies", simulation_sections},
    {"rocktune-validate/1", "rocktune validate", "runs", validation_sections},
    {"rocktune-score/1", "rocktune score", "tables", score_sections},
    {kReplaySchema, "rocktune replay", kReplays, replay_sections},
};

std::string what_it_takes() {
  std::string text = "rocktune report takes a trace, or what";
  const char* before = " ";
  for (const ResultKind& kind : kResultKinds) {
    text += before + std::string(kind.command);
    before = ", ";
  }
  return text + " printed with --json, or the result of rocktune sweep";
}

// A line of the alert log, which a replay prints, too, and which has no page.
bool is_journal_line(const Json& document) {
  return document.is_object() && !document.contains("schema") && document.contains("time") &&
         document.contains("kind");
}

Result<std::vector<Json>> documents_in(const std::string& text) {
  Json whole = wire::parse_json<Json>(text);
  if (!whole.is_discarded()) return std::vector<Json>{std::move(whole)};
  std::vector<Json> documents;
  std::istringstream lines(text);
  std::size_t number = 0;
  bool journal = false;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Json document = wire::parse_json<Json>(line);
    if (document.is_discarded()) {
      return fail(ErrorCode::kCorrupt, "is neither a trace nor JSON (line " +
                                           std::to_string(number) + "); " + what_it_takes());
    }
    if (is_journal_line(document)) {
      journal = true;
    } else {
      documents.push_back(std::move(document));
    }
  }
  if (!documents.empty()) return documents;
  if (journal) {
    return fail(ErrorCode::kUnsupported,
                "has lines of an alert log alone (rocktune alerts shows them); " + what_it_takes());
  }
  return fail(ErrorCode::kCorrupt, "is empty; " + what_it_takes());
}

// Puts what belongs together into one document, where the first of it stands.
std::vector<Json> gathered(std::vector<Json> documents) {
  std::vector<Json> out;
  std::optional<std::size_t> replay;
  for (Json& document : documents) {
    if (!document.is_object() || text_at(document, "schema") != kReplaySchema) {
      out.push_back(std::move(document));
      continue;
    }
    if (!replay) {
      replay = out.size();
      out.push_back({{"schema", kReplaySchema},
                     {"claims", text_at(document, "claims")},
                     {kReplays, Json::array()}});
    }
    out[*replay][kReplays].push_back(std::move(document));
  }
  return out;
}

const ResultKind* kind_of(const Json& document) {
  if (!document.is_object()) return nullptr;
  for (const ResultKind& kind : kResultKinds) {
    if (text_at(document, "schema") == kind.schema) return &kind;
  }
  return nullptr;
}

// Of rocktune-bench (docs/compare.md).
constexpr const char* kComparisonSchema = "rocktune-compare/1";

bool is_sweep(const Json& document) {
  return document.is_object() && text_at(document, "schema") == kSweepSchema;
}

Error unknown_schema(const Json& document) {
  if (is_sweep(document)) {
    return {ErrorCode::kUnsupported,
            "has a sweep's lines beside others: they have a page of their own"};
  }
  const std::string schema = document.is_object() ? text_at(document, "schema") : "";
  if (schema == kComparisonSchema) {
    return {ErrorCode::kUnsupported,
            "is a comparison on a real RocksDB (compare, replay-ops), which has a page already: "
            "compare.html beside it"};
  }
  std::string message = schema.empty() ? "is JSON without a \"schema\"; "
                                       : "has the schema \"" + schema +
                                             "\", of which no page is "
                                             "made; ";
  return {ErrorCode::kUnsupported, message + what_it_takes()};
}

Result<std::vector<page::Section>> sections_of(const Json& document, const ResultKind& kind) {
  const std::string not_it = "is not what " + std::string(kind.command) + " printed with --json: ";
  const Json& list = array_at(document, kind.list);
  const bool objects =
      std::all_of(list.begin(), list.end(), [](const Json& one) { return one.is_object(); });
  if (list.empty() || !objects) {
    return fail(ErrorCode::kCorrupt,
                not_it + "\"" + kind.list + "\" is missing, empty or no list of objects");
  }
  try {
    return kind.sections(document);
  } catch (const Json::exception&) {
    return fail(ErrorCode::kCorrupt, not_it + "a field is of another kind");
  }
}

// What documents of one kind claim.
struct Claims {
  std::string command;
  std::string text;
  bool operator==(const Claims&) const = default;
};

// Each claim once; of whom, where there are several.
page::Section claims_section(const std::vector<Claims>& all) {
  page::Section section;
  section.heading = kClaimsHeading;
  for (const Claims& one : all) {
    section.blocks.emplace_back(
        page::Paragraph{(all.size() > 1 ? one.command + ": " : "") + one.text});
  }
  section.blocks.emplace_back(page::Paragraph{kWhichAnswer});
  return section;
}

Result<page::Page> sweep_page(page::Page page, const std::vector<Json>& lines) {
  SweepResult result;
  std::size_t number = 0;
  for (const Json& line : lines) {
    ++number;
    if (auto added = result.add(line); !added) {
      return tl::unexpected(added.error().within("document " + std::to_string(number)));
    }
  }
  page.sections = sweep_sections(result);
  page.sections.push_back(claims_section({{"rocktune sweep", result.claims()}}));
  return page;
}

}  // namespace

Result<page::Page> result_page(const std::string& title, const std::string& text) {
  auto documents = documents_in(text);
  if (!documents) return tl::unexpected(documents.error());
  page::Page page;
  page.title = title;
  if (is_sweep(documents->front())) return sweep_page(std::move(page), *documents);
  std::vector<Claims> claims;
  for (const Json& document : gathered(*std::move(documents))) {
    const ResultKind* kind = kind_of(document);
    if (kind == nullptr) return tl::unexpected(unknown_schema(document));
    auto sections = sections_of(document, *kind);
    if (!sections) return tl::unexpected(sections.error());
    std::move(sections->begin(), sections->end(), std::back_inserter(page.sections));
    Claims own{kind->command, text_at(document, "claims")};
    const bool told = std::find(claims.begin(), claims.end(), own) != claims.end();
    if (!own.text.empty() && !told) claims.push_back(std::move(own));
  }
  page.sections.push_back(claims_section(claims));
  return page;
}

}  // namespace rocktune::tools
