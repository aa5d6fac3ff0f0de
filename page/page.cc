#include "page/page.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "page/assets.h"
#include "page/chart_data.h"

namespace rocktune::page {
namespace {

using nlohmann::json;

// Nothing may be fetched, so a page from an untrusted result cannot call home.
constexpr const char* kHead =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n";

constexpr const char* kZooming =
    "Drag across a chart to zoom all of them, drag with Shift to move, double-click to see "
    "everything; with the keyboard: arrows, +, - and 0. ";
constexpr const char* kGrouped =
    "The boxes hide and show lines. Repeats have one colour; figures at the cursor are the median "
    "of the repeats and their range.";
constexpr const char* kNamed = "The boxes hide and show marks; the cursor tells what they say.";

class Writer {
 public:
  explicit Writer(const Page& page)
      : page_(page), factor_(thinning_factor(points_in(page), kMostPoints)) {}

  std::string write() {
    std::string body = "<h1>" + html_escaped(page_.title) + "</h1>\n";
    for (const Section& section : page_.sections) body += section_html(section);
    return kHead + ("<title>" + html_escaped(page_.title)) + "</title>\n<style>\n" +
           std::string(chart_library_style()) + std::string(page_style()) +
           "</style>\n</head>\n<body>\n" + body + footer() + scripts() + "</body>\n</html>\n";
  }

 private:
  std::string section_html(const Section& section) {
    std::string blocks;
    for (const Block& block : section.blocks) {
      blocks += std::visit([this](const auto& one) { return block_html(one); }, block);
    }
    const std::string heading = html_escaped(section.heading);
    if (section.folded) {
      return "<details><summary>" + heading + "</summary>\n" + blocks + "</details>\n";
    }
    return "<section>\n" + (heading.empty() ? "" : "<h2>" + heading + "</h2>\n") + blocks +
           "</section>\n";
  }

  static std::string block_html(const Paragraph& paragraph) {
    return (paragraph.emphasis ? "<p class=\"emphasis\">" : "<p>") + html_escaped(paragraph.text) +
           "</p>\n";
  }

  static std::string block_html(const Table& table) { return page::html(table); }

  std::string block_html(const ChartGroup& group) {
    const json data = chart_data(group, factor_);
    std::string out;
    if (!group.title.empty()) out += "<h3>" + html_escaped(group.title) + "</h3>\n";
    if (data.at("charts").empty()) {
      return out + "<p class=\"note\">There is nothing to draw.</p>\n";
    }
    has_charts_ = true;
    out += "<p class=\"note\">" + std::string(kZooming) + how_to(group, data) +
           thinned(group, data) + marks_note(data) + "</p>\n";
    out += "<noscript><p>The charts need JavaScript.</p></noscript>\n";
    return out + "<div class=\"charts\"><script type=\"application/json\">" + script_safe(data) +
           "</script></div>\n";
  }

  static std::string how_to(const ChartGroup& group, const json& data) {
    if (!group.named) return kGrouped;
    return data.at("mark_kinds").empty() ? "" : kNamed;
  }

  [[nodiscard]] std::string thinned(const ChartGroup& group, const json& data) const {
    if (factor_ <= 1) return "";
    char text[160];
    std::snprintf(text, sizeof text,
                  " To bound the page's size each point stands for %.3g %s: the mean, or of "
                  "latencies, files and backlogs the maximum, of knobs the last.",
                  data.at("x_step").get<double>(), group.x_label.c_str());
    return text;
  }

  static std::string marks_note(const json& data) {
    const auto& left_out = data.at("marks_left_out");
    if (left_out == 0) return "";
    return " " + left_out.dump() + " more marks are not shown.";
  }

  // The order of colours: as given, then as met.
  [[nodiscard]] json groups() const {
    std::vector<std::string> all = page_.groups;
    const auto add = [&](const std::string& name) {
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    };
    for (const Section& section : page_.sections) {
      for (const Block& block : section.blocks) {
        const auto* group = std::get_if<ChartGroup>(&block);
        if (group == nullptr) continue;
        for (const Chart& chart : group->charts) {
          for (const Series& series : chart.series) add(series.group);
        }
        for (const Mark& mark : group->marks) {
          if (mark.kind.empty()) add(mark.group);
        }
      }
    }
    return all;
  }

  [[nodiscard]] std::string footer() const {
    if (!has_charts_) return "";
    return "<footer><details><summary>Charts: dygraphs, MIT licence</summary><pre>" +
           html_escaped(chart_library_licence()) + "</pre></details></footer>\n";
  }

  [[nodiscard]] std::string scripts() const {
    if (!has_charts_) return "";
    return "<script type=\"application/json\" id=\"groups\">" + script_safe(groups()) +
           "</script>\n<script>\n" + std::string(chart_library_script()) + "</script>\n<script>\n" +
           std::string(page_script()) + "</script>\n";
  }

  const Page& page_;
  std::size_t factor_;
  bool has_charts_ = false;
};

}  // namespace

std::string html(const Page& page) {
  return Writer(page).write();
}

}  // namespace rocktune::page
