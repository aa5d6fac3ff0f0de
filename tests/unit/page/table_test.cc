#include "page/table.h"

#include "tests/support/catch.h"

using namespace rocktune::page;

namespace {

Table small() {
  return {.caption = "Figures",
          .columns = {{"", Align::kLeft}, {"static"}, {"headroom"}},
          .rows = {{"throughput", "9", "12,345"}, {"P99–P50", "1"}}};
}

}  // namespace

TEST_CASE("numbers are written for people", "[page]") {
  CHECK(number_text(1234567.4, 0) == "1,234,567");
  CHECK(number_text(-1234.5, 1) == "-1,234.5");
  CHECK(number_text(-123, 0) == "-123");
  CHECK(number_text(999, 0) == "999");
  CHECK(number_text(0.126, 3) == "0.126");
}

TEST_CASE("a table in Markdown", "[page]") {
  CHECK(markdown(small()) ==
        "Figures\n\n"
        "|  | static | headroom |\n"
        "|---|---:|---:|\n"
        "| throughput | 9 | 12,345 |\n"
        "| P99–P50 | 1 |  |\n");
}

TEST_CASE("a table on a terminal: columns by characters, not bytes", "[page]") {
  CHECK(plain_text(small()) ==
        "Figures\n"
        "            static  headroom\n"
        "throughput       9    12,345\n"
        "P99–P50          1\n");
}

TEST_CASE("no cell can break out of its form", "[page]") {
  const Table table{.caption = "",
                    .columns = {{"a|b", Align::kLeft}},
                    .rows = {{"<script>\nalert('x')</script> *[l](u)*"}, {"\x1b[31mred"}}};
  CHECK(markdown(table) ==
        "| a\\|b |\n|---|\n| &lt;script> alert('x')&lt;/script> \\*\\[l\\](u)\\* |\n"
        "| \x1b\\[31mred |\n");
  CHECK(html(table).find("<script") == std::string::npos);
  CHECK(html(table).find("&lt;script&gt;") != std::string::npos);
  CHECK(plain_text(table).find('\x1b') == std::string::npos);
}

TEST_CASE("what HTML gives a meaning to is escaped", "[page]") {
  CHECK(html_escaped("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
}
