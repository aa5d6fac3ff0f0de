// The OPTIONS file that RocksDB writes beside its data: what a database was opened with, for what a
// trace does not have.
#pragma once

#include <string>
#include <string_view>

#include "model/open_options.h"
#include "model/result.h"

namespace rocktune::tools {

// The options of the database and of its column families, those of block-based tables among the
// latter, in RocksDB's spelling. kCorrupt when it is no such file: sections other than these are
// passed over. `name` is for messages.
Result<OpenOptions> parse_options(std::string_view text, const std::string& name);

struct OptionsFile {
  std::string path;  // of the file that was read; empty: none was
  OpenOptions options;
};
// `path`: an OPTIONS file, or a database's directory, of which the newest one is read.
Result<OptionsFile> read_options(const std::string& path);

}  // namespace rocktune::tools
