// A table for people, written three ways from one description: Markdown for docs, plain text for a
// terminal, HTML for a page. Cells are plain text in every case; each writer escapes what its form
// gives a meaning to. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rocktune::page {

enum class Align { kLeft, kRight };

struct Column {
  std::string heading;
  Align align = Align::kRight;
};

struct Table {
  std::string caption;  // may be empty
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // a row shorter than `columns` ends in empty cells
};

// "39,680", "2.45": digits after the point, thousands separated.
std::string number_text(double value, int digits);

std::string markdown(const Table& table);
std::string plain_text(const Table& table);
std::string html(const Table& table);

// Text as HTML shows it: & < > " and ' become entities.
std::string html_escaped(std::string_view text);

}  // namespace rocktune::page
