#include "tools/report/result_page.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "tools/claims.h"
#include "tools/json_fields.h"
#include "tools/report/result_sections.h"
#include "tools/sweep_plan.h"

namespace rocktune::tools {
namespace {

struct ResultKind {
  const char* schema;
  const char* command;
  const char* list;  // of objects: what the result is about
  std::vector<page::Section> (*sections)(const Json&);
};

constexpr ResultKind kResultKinds[] = {
    {"rocktune-simulate/1", "rocktune simulate", "policies", simulation_sections},
    {"rocktune-validate/1", "rocktune validate", "runs", validation_sections},
    {"rocktune-score/1", "rocktune score", "tables", score_sections},
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

Result<std::vector<Json>> documents_in(const std::string& text) {
  Json whole = Json::parse(text, nullptr, false);
  if (!whole.is_discarded()) return std::vector<Json>{std::move(whole)};
  std::vector<Json> documents;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    documents.push_back(Json::parse(line, nullptr, false));
    if (!documents.back().is_discarded()) continue;
    return fail(ErrorCode::kCorrupt, "is neither a trace nor JSON (line " + std::to_string(number) +
                                         "); " + what_it_takes());
  }
  if (!documents.empty()) return documents;
  return fail(ErrorCode::kCorrupt, "is empty; " + what_it_takes());
}

const ResultKind* kind_of(const Json& document) {
  if (!document.is_object()) return nullptr;
  for (const ResultKind& kind : kResultKinds) {
    if (text_at(document, "schema") == kind.schema) return &kind;
  }
  return nullptr;
}

bool is_sweep(const Json& document) {
  return document.is_object() && text_at(document, "schema") == kSweepSchema;
}

Error unknown_schema(const Json& document) {
  if (is_sweep(document)) {
    return {ErrorCode::kUnsupported,
            "has a sweep's lines beside others: they have a page of their own"};
  }
  const std::string schema = document.is_object() ? text_at(document, "schema") : "";
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

page::Section claims_section(const std::string& claims) {
  page::Section section;
  section.heading = kClaimsHeading;
  if (!claims.empty()) section.blocks.emplace_back(page::Paragraph{claims});
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
  page.sections.push_back(claims_section(result.claims()));
  return page;
}

}  // namespace

Result<page::Page> result_page(const std::string& title, const std::string& text) {
  const auto documents = documents_in(text);
  if (!documents) return tl::unexpected(documents.error());
  page::Page page;
  page.title = title;
  if (is_sweep(documents->front())) return sweep_page(std::move(page), *documents);
  for (const Json& document : *documents) {
    const ResultKind* kind = kind_of(document);
    if (kind == nullptr) return tl::unexpected(unknown_schema(document));
    auto sections = sections_of(document, *kind);
    if (!sections) return tl::unexpected(sections.error());
    std::move(sections->begin(), sections->end(), std::back_inserter(page.sections));
  }
  page.sections.push_back(claims_section(text_at(documents->front(), "claims")));
  return page;
}

}  // namespace rocktune::tools
