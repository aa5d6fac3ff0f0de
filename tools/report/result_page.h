// The page of a result that a command of rocktune's printed with --json - replay, simulate,
// validate, score - or of a sweep's. Pure.
#pragma once

#include <string>

#include "model/result.h"
#include "page/page.h"

namespace rocktune::tools {

// `text` is one JSON document, or one on each line; each says what it is by its "schema". Errors:
// kCorrupt for what is no JSON, kUnsupported for a schema that no page is made of.
Result<page::Page> result_page(const std::string& title, const std::string& text);

}  // namespace rocktune::tools
