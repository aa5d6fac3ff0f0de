#include "page/page.h"

#include "page/chart_data.h"
#include "tests/support/catch.h"

using namespace rocktune::page;
using nlohmann::json;

namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

Chart chart_with(std::vector<Point> points) {
  Chart chart;
  chart.title = "throughput";
  chart.series = {{"static, repeat 1", "static", std::move(points)}};
  return chart;
}

Page page_with(ChartGroup group) {
  Page page;
  page.title = "A page";
  Section section;
  section.blocks.emplace_back(std::move(group));
  page.sections.push_back(std::move(section));
  return page;
}

}  // namespace

TEST_CASE("points are gathered to multiples of the step", "[page]") {
  const std::vector<Point> points = {{0.98, 1.0}, {1.02, 3.0}, {2.01, std::nullopt}, {3.2, 7.0}};
  const auto mean = gathered(points, 1, Reduce::kMean);
  REQUIRE(mean.size() == 3);
  CHECK(mean[0].x == 1);
  CHECK(mean[0].value == 2.0);
  CHECK(mean[1].x == 2);
  CHECK_FALSE(mean[1].value);
  CHECK(mean[2].value == 7.0);
  CHECK(gathered(points, 1, Reduce::kMax)[0].value == 3.0);
  CHECK(gathered({{1, 8.0}, {1.2, 4.0}}, 1, Reduce::kLast)[0].value == 4.0);
  CHECK(gathered(points, 0, Reduce::kMean).size() == 4);
}

TEST_CASE("the most of negative values is not zero", "[page]") {
  CHECK(gathered({{1, -5.0}, {1, -3.0}}, 1, Reduce::kMax)[0].value == -3.0);
}

TEST_CASE("a chart's series share its x, with null where they have no value", "[page]") {
  Chart chart = chart_with({{1, 10.0}, {2, std::nullopt}});
  chart.series.push_back({"tuned, repeat 1", "tuned", {{2, 20.0}, {3, 30.0}}});
  chart.series.push_back({"nothing", "tuned", {{2, std::nullopt}}});
  ChartGroup group;
  group.charts = {chart};
  const json data = chart_data(group, 1);
  REQUIRE(data["charts"].size() == 1);
  const json& only = data["charts"][0];
  CHECK(only["x"] == json({1.0, 2.0, 3.0}));
  REQUIRE(only["series"].size() == 2);
  CHECK(only["series"][0]["y"] == json({10.0, nullptr, nullptr}));
  CHECK(only["series"][1]["y"] == json({nullptr, 20.0, 30.0}));
}

TEST_CASE("a chart that nobody has values for is left out", "[page]") {
  ChartGroup group;
  group.charts = {chart_with({{1, std::nullopt}}), chart_with({})};
  CHECK(chart_data(group, 1)["charts"].empty());
  CHECK(html(page_with(group)).find("There is nothing to draw") != std::string::npos);
}

TEST_CASE("a logarithmic chart has no zero", "[page]") {
  Chart chart = chart_with({{1, 0.0}, {2, 5.0}});
  chart.logarithmic = true;
  chart.limits = {{"SLO", 0}};
  ChartGroup group;
  group.charts = {chart};
  const json data = chart_data(group, 1);
  CHECK(data["charts"][0]["series"][0]["y"] == json({nullptr, 5.0}));
  CHECK(data["charts"][0]["limits"].empty());
}

TEST_CASE("long series are thinned to what a page may hold", "[page]") {
  CHECK(thinning_factor(kMostPoints, kMostPoints) == 1);
  CHECK(thinning_factor(kMostPoints + 1, kMostPoints) == 2);
  CHECK(thinning_factor(10 * kMostPoints, kMostPoints) == 10);

  std::vector<Point> points;
  for (int i = 0; i < 1000; ++i) points.push_back({static_cast<double>(i), i % 7 + 1.0});
  ChartGroup group;
  group.charts = {chart_with(points)};
  const json data = chart_data(group, 4);
  CHECK(data["x_step"] == 4);
  CHECK(data["charts"][0]["x"].size() <= 251);
  group.x_step = 0;  // where points have no common step
  CHECK(chart_data(group, 4)["charts"][0]["x"].size() <= 251);
}

TEST_CASE("a page that was thinned says so", "[page]") {
  // One point of each second would do, were there not too many points in it.
  ChartGroup group;
  group.charts = {chart_with(std::vector<Point>(kMostPoints + 1, Point{1, 2.0}))};
  const std::string text = html(page_with(group));
  CHECK(text.find("each point stands for 2 seconds") != std::string::npos);
  group.charts[0].series[0].points.pop_back();
  CHECK(html(page_with(group)).find("each point stands for") == std::string::npos);
}

TEST_CASE("marks are bounded and the rest counted", "[page]") {
  ChartGroup group;
  group.charts = {chart_with({{1, 1.0}})};
  group.marks.resize(kMostMarks + 3, Mark{1, "static", "something"});
  const json data = chart_data(group, 1);
  CHECK(data["marks"].size() == kMostMarks);
  CHECK(data["marks_left_out"] == 3);
  CHECK(html(page_with(group)).find("3 more marks") != std::string::npos);
}

TEST_CASE("marks have kinds in the order given, the others after them", "[page]") {
  ChartGroup group;
  group.charts = {chart_with({{1, 1.0}})};
  group.mark_kinds = {"alert", "decision", "outcome"};
  group.marks = {{1, "", "down", "zebra"}, {1, "", "up", "outcome"}, {2, "", "now", "alert"}};
  const json data = chart_data(group, 1);
  REQUIRE(data["mark_kinds"].size() == 3);
  CHECK(data["mark_kinds"][1] == json({{"name", "outcome"}, {"shape", 2}}));
  CHECK(data["mark_kinds"][2] == json({{"name", "zebra"}, {"shape", 3}}));
  CHECK(data["marks"][1]["kind"] == "outcome");
  CHECK(html(page_with(group)).find("The boxes hide and show marks") == std::string::npos);
  group.named = true;
  CHECK(html(page_with(group)).find("The boxes hide and show marks") != std::string::npos);
}

TEST_CASE("no name can end the script that holds it", "[page]") {
  const std::string evil = "</script><script>alert(1)</script><!--";
  ChartGroup group;
  Chart chart = chart_with({{1, 1.0}});
  chart.title = evil;
  chart.series[0].group = evil;
  group.charts = {chart};
  group.marks = {{1, evil, evil}};
  group.bands = {{evil, 0, 1}};
  Page page = page_with(group);
  page.title = evil;
  const std::string text = html(page);
  CHECK(text.find("alert(1)</script>") == std::string::npos);
  CHECK(text.find("<!--") == std::string::npos);
  // The data, the groups, the library, the page's own.
  CHECK(count_of(text, "<script") == 4);
  CHECK(count_of(text, "</script>") == 4);

  const json data = chart_data(group, 1);
  CHECK(json::parse(script_safe(data)) == data);
}

TEST_CASE("bytes that are no UTF-8 do not stop a page", "[page]") {
  CHECK(json::parse(script_safe(json("a\xff"))) == "a\xef\xbf\xbd");
}

TEST_CASE("a page fetches nothing", "[page]") {
  ChartGroup group;
  group.charts = {chart_with({{1, 1.0}})};
  const std::string text = html(page_with(group));
  CHECK(text.find("default-src 'none'") != std::string::npos);
  CHECK(text.find("<link") == std::string::npos);
  CHECK(text.find(" src=") == std::string::npos);
  CHECK(text.find("sourceMappingURL") == std::string::npos);
  CHECK(text.find("Permission is hereby granted") != std::string::npos);
}

TEST_CASE("a page without charts carries no chart library", "[page]") {
  Page page;
  page.title = "Words";
  Section section{.heading = "One & two", .blocks = {}};
  section.blocks.emplace_back(Paragraph{"a < b"});
  page.sections.push_back(section);
  const std::string text = html(page);
  CHECK(text.find("<script") == std::string::npos);
  CHECK(text.find("<h2>One &amp; two</h2>") != std::string::npos);
  CHECK(text.find("<p>a &lt; b</p>") != std::string::npos);
}
