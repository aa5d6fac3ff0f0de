#include "page/table.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace rocktune::page {
namespace {

const std::string& cell(const std::vector<std::string>& row, std::size_t column) {
  static const std::string kEmpty;
  return column < row.size() ? row[column] : kEmpty;
}

// A cell is one line; in Markdown a bar ends it, and what would be HTML or emphasis is shown as is.
std::string markdown_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '\n':
      case '\r':
        escaped += ' ';
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '|':
      case '*':
      case '_':
      case '`':
      case '[':
      case ']':
      case '\\':
        escaped += '\\';
        escaped += c;
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// How many columns of a terminal UTF-8 text takes, one for each character: its bytes less those
// that continue a character.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

// Nothing that a terminal would obey: control characters become question marks.
std::string printable(std::string_view text) {
  std::string shown(text);
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return shown;
}

std::string plain_line(const Table& table, const std::vector<std::string>& row,
                       const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string text = printable(cell(row, i));
    const std::string padding(widths[i] - width_of(text), ' ');
    if (i > 0) line += "  ";
    line += table.columns[i].align == Align::kLeft ? text + padding : padding + text;
  }
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

std::vector<std::string> headings(const Table& table) {
  std::vector<std::string> all;
  all.reserve(table.columns.size());
  for (const Column& column : table.columns) all.push_back(column.heading);
  return all;
}

std::string markdown_line(const Table& table, const std::vector<std::string>& row) {
  std::string line = "|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    line += " " + markdown_escaped(cell(row, i)) + " |";
  }
  return line + "\n";
}

// The first column names the row.
std::string html_row(const Table& table, const std::vector<std::string>& row, bool heading) {
  std::string out = "<tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool names = heading || i == 0;
    out += names ? (heading ? "<th scope=\"col\"" : "<th scope=\"row\"") : "<td";
    if (table.columns[i].align == Align::kLeft) out += " class=\"left\"";
    out += ">" + html_escaped(cell(row, i)) + (names ? "</th>" : "</td>");
  }
  return out + "</tr>\n";
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string number_text(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  std::string text = buffer;
  const std::size_t first = text.front() == '-' ? 1 : 0;
  for (std::size_t end = std::min(text.find('.'), text.size()); end > first + 3;) {
    end -= 3;
    text.insert(end, 1, ',');
  }
  return text;
}

std::string markdown(const Table& table) {
  std::string out;
  if (!table.caption.empty()) out += markdown_escaped(table.caption) + "\n\n";
  out += markdown_line(table, headings(table)) + "|";
  for (const Column& column : table.columns) {
    out += column.align == Align::kLeft ? "---|" : "---:|";
  }
  out += "\n";
  for (const auto& row : table.rows) out += markdown_line(table, row);
  return out;
}

std::string plain_text(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t width = width_of(table.columns[i].heading);
    for (const auto& row : table.rows) width = std::max(width, width_of(cell(row, i)));
    widths.push_back(width);
  }
  std::string out;
  if (!table.caption.empty()) out += printable(table.caption) + "\n";
  out += plain_line(table, headings(table), widths);
  for (const auto& row : table.rows) out += plain_line(table, row, widths);
  return out;
}

std::string html(const Table& table) {
  std::string out = "<div class=\"wide\" tabindex=\"0\"><table>\n";
  if (!table.caption.empty()) out += "<caption>" + html_escaped(table.caption) + "</caption>\n";
  out += "<thead>" + html_row(table, headings(table), true) + "</thead>\n<tbody>\n";
  for (const auto& row : table.rows) out += html_row(table, row, false);
  return out + "</tbody></table></div>\n";
}

}  // namespace rocktune::page
