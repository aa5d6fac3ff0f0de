#include "tools/report/trace_page.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "model/text.h"
#include "tools/claims.h"
#include "tools/report/tables.h"
#include "tools/report/trace_charts.h"
#include "tools/report/words.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

struct WantedTarget {
  trace::TargetSummary summary;
  std::string called;  // as trace::called_in_trace() has it
};

// Those that are to be on the page, and where the trace's time begins.
struct WantedTargets {
  std::vector<WantedTarget> targets;
  Nanoseconds begin = Nanoseconds::max();
};

Result<WantedTargets> wanted_targets(trace::Reader& reader, const TracePageRequest& request) {
  auto targets = reader.targets();
  if (!targets) return tl::unexpected(targets.error());
  std::string known;
  std::map<std::string, int> uses;
  WantedTargets wanted;
  for (trace::TargetSummary& one : *targets) {
    std::string called = trace::called_in_trace(one.info.name, ++uses[one.info.name]);
    known += (known.empty() ? "" : ", ") + called;
    if (one.samples > 0) wanted.begin = std::min(wanted.begin, one.first_tick);
    if (!request.target || one.info.name == *request.target || called == *request.target ||
        one.info.path == *request.target) {
      wanted.targets.push_back({std::move(one), std::move(called)});
    }
  }
  if (!request.target || !wanted.targets.empty()) return wanted;
  return fail(ErrorCode::kInvalidArgument, "trace " + request.trace + " has no target \"" +
                                               *request.target + "\"; it has: " + known);
}

Result<Recording> record(trace::Reader& reader, WantedTarget target, Nanoseconds begin,
                         const ReportWindow& window) {
  auto steps = reader.steps(target.summary.info.id);
  if (!steps) return tl::unexpected(steps.error());
  Recording recording(std::move(target.summary), std::move(target.called), begin,
                      reader.run().poll_interval_seconds, window);
  while (true) {
    auto step = steps->next();
    if (!step) {
      if (recording.totals().due == 0) return tl::unexpected(step.error());
      recording.note_damage(step.error().message);
      break;
    }
    if (!*step || !recording.add(**step)) break;
  }
  recording.end();
  return recording;
}

// Of each database with a reading in the window.
Result<std::vector<Recording>> record_all(trace::Reader& reader, const TracePageRequest& request,
                                          const RunProgress& progress) {
  auto wanted = wanted_targets(reader, request);
  if (!wanted) return tl::unexpected(wanted.error());
  std::vector<Recording> recordings;
  bool any_sample = false;
  std::size_t number = 0;
  for (WantedTarget& target : wanted->targets) {
    if (progress) progress(++number, wanted->targets.size(), target.called);
    any_sample = any_sample || target.summary.samples_with_database > 0;
    auto recording = record(reader, std::move(target), wanted->begin, request.window);
    if (!recording) return tl::unexpected(recording.error());
    if (recording->totals().samples > 0) recordings.push_back(*std::move(recording));
  }
  if (!recordings.empty()) return recordings;
  if (!any_sample) {
    return fail(ErrorCode::kNotFound, "trace " + request.trace +
                                          " has no reading of a database: there is nothing to "
                                          "report; rocktune trace info shows what is in it");
  }
  return fail(ErrorCode::kInvalidArgument,
              "no database was read between --from and --to; rocktune trace info " + request.trace +
                  " shows when it was");
}

// What recorded all of it, and which part is shown.
page::Section source_section(const trace::RunInfo& run, const std::vector<Recording>& recordings,
                             const ReportWindow& window) {
  page::Section section;
  Nanoseconds first = Nanoseconds::max(), last{0};
  for (const Recording& recording : recordings) {
    first = std::min(first, recording.totals().first_wall);
    last = std::max(last, recording.totals().last_wall);
  }
  std::string text =
      std::string(trace::is_imported(run) ? "Imported by rocktune " : "Recorded by rocktuned ") +
      printable(run.daemon_version) + " on " + printable(run.host) + ", a sample every " +
      seconds_text(run.poll_interval_seconds) + ", from " + text::rfc3339(first) + " to " +
      text::rfc3339(last) + ".";
  if (window.from_seconds > 0 || window.to_seconds) {
    text += " This page shows the part from " + seconds_text(window.from_seconds) + " to " +
            (window.to_seconds ? seconds_text(*window.to_seconds) : std::string("the end")) +
            " after the trace's begin.";
  }
  section.blocks.emplace_back(page::Paragraph{text});
  if (const std::string note = trace::checksums_note(run); !note.empty()) {
    section.blocks.emplace_back(page::Paragraph{"The trace's " + note + "."});
  }
  return section;
}

page::Section summary_section(const Recording& recording, std::string heading) {
  page::Section section;
  section.heading = std::move(heading);
  if (!recording.damage().empty()) {
    section.blocks.emplace_back(
        page::Paragraph{"The trace could not be read to its end, so what follows " +
                            text::rfc3339(recording.totals().last_wall) +
                            " is not shown: " + printable(recording.damage()) + ".",
                        true});
  }
  for (page::Paragraph& paragraph : summary_words(recording)) {
    section.blocks.emplace_back(std::move(paragraph));
  }
  return section;
}

page::Section chart_section(const Recording& recording, const std::string& heading_end) {
  page::Section section;
  section.heading = "Over time" + heading_end;
  for (std::string& sentence : missing_words(recording)) {
    section.blocks.emplace_back(page::Paragraph{std::move(sentence)});
  }
  const TimeBins& bins = recording.bins();
  if (bins.is_thinned()) {
    section.blocks.emplace_back(page::Paragraph{
        "Each point stands for " + seconds_text(bins.width_seconds()) +
        ": the mean, or of latencies, level-0 files, pending compaction and probabilities the "
        "largest, of knobs the last."});
  }
  if (const std::uint64_t left_out = recording.marks().left_out(); left_out > 0) {
    section.blocks.emplace_back(
        page::Paragraph{std::to_string(left_out) + " marks are left out, evenly over the time."});
  }
  section.blocks.emplace_back(trace_charts(recording));
  return section;
}

page::Section claims_section() {
  page::Section section;
  section.heading = kClaimsHeading;
  section.blocks.emplace_back(page::Paragraph{kRecordingClaims});
  section.blocks.emplace_back(page::Paragraph{kWhichAnswer});
  return section;
}

}  // namespace

Result<page::Page> trace_page(const TracePageRequest& request, const RunProgress& progress) {
  auto reader = trace::Reader::open(request.trace);
  if (!reader) return tl::unexpected(reader.error());
  auto recordings = record_all(*reader, request, progress);
  if (!recordings) return tl::unexpected(recordings.error());
  page::Page page;
  page.title = "rocktune report: " + std::filesystem::path(request.trace).filename().string();
  page.groups = colours();
  page.sections.push_back(source_section(reader->run(), *recordings, request.window));
  const bool several = recordings->size() > 1;
  for (const Recording& recording : *recordings) {
    page.sections.push_back(
        summary_section(recording, several ? printable(recording.called()) : ""));
  }
  for (const Recording& recording : *recordings) {
    const std::string end = several ? " of " + printable(recording.called()) : "";
    page.sections.push_back(chart_section(recording, end));
    for (page::Section& section : table_sections(recording, end)) {
      page.sections.push_back(std::move(section));
    }
  }
  page.sections.push_back(claims_section());
  return page;
}

}  // namespace rocktune::tools
