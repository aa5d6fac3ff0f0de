#include "files/yaml_document.h"

#include <yaml-cpp/eventhandler.h>

#include <sstream>

namespace rocktune {
namespace {

// Where the last document began, and whether it is more than a null.
class Outline final : public YAML::EventHandler {
 public:
  [[nodiscard]] const YAML::Mark& start() const { return start_; }
  [[nodiscard]] bool is_null() const { return is_null_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    start_ = mark;
    is_null_ = true;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { value(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*text*/) override {
    value(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {
    value(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    value(mark);
  }
  void OnMapEnd() override {}

 private:
  void value(const YAML::Mark& mark) {
    if (is_null_) start_ = mark;  // rather than at the `---` before it
    is_null_ = false;
  }

  YAML::Mark start_ = YAML::Mark::null_mark();
  bool is_null_ = true;
};

// yaml-cpp says of most tabs only what it then does not understand ("illegal map value").
constexpr const char* kTabHint =
    ": a tab is in this line's indentation, where YAML takes spaces alone";

// `line` from 0.
bool is_indented_by_tab(const std::string& text, int line) {
  std::istringstream in(text);
  std::string one;
  for (int i = 0; i <= line; ++i) {
    if (!std::getline(in, one)) return false;
  }
  return one.substr(0, one.find_first_not_of(" \t")).find('\t') != std::string::npos;
}

void check_that_nothing_follows(const std::string& text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  Outline outline;
  if (!parser.HandleNextDocument(outline)) return;
  for (int last = -1; parser.HandleNextDocument(outline); last = outline.start().pos) {
    if (!outline.is_null()) {
      throw MoreThanOneDocument(outline.start(), "a second document begins here: a file holds one");
    }
    if (outline.start().pos == last) {  // the parser goes on no more
      throw YAML::ParserException(outline.start(), "this belongs to no document");
    }
  }
}

}  // namespace

YAML::Node load_yaml_document(const std::string& text) {
  try {
    YAML::Node document = YAML::Load(text);
    check_that_nothing_follows(text);
    return document;
  } catch (const MoreThanOneDocument&) {
    throw;
  } catch (const YAML::ParserException& error) {
    if (!is_indented_by_tab(text, error.mark.line)) throw;
    throw YAML::ParserException(error.mark, error.msg + kTabHint);
  }
}

}  // namespace rocktune
