#include "bench/report/replayed.h"

#include "bench/report/result_reader.h"
#include "page/table.h"

namespace rocktune::bench::report {
namespace {

using nlohmann::json;

std::string writers_text(double writers, double threads) {
  std::string text = "Writes were on " + page::number_text(writers, 0) + " of " +
                     page::number_text(threads, 0) + " threads (writing_threads)";
  if (writers < threads) {
    text += ", since some are of several keys or of a range: that bounds their throughput";
  }
  return text + ".";
}

std::string left_out_text(double not_replayed, double reads_left_out) {
  std::string text =
      "Recorded operations not replayed, as this RocksDB does not know their type "
      "(operations_not_replayed): " +
      page::number_text(not_replayed, 0) +
      ". Reads that --sample left out of the recording (recorded_reads_left_out): " +
      page::number_text(reads_left_out, 0) + ".";
  if (not_replayed > 0 || reads_left_out > 0) text += " The replay asks for that much less.";
  return text;
}

std::vector<std::string> remarks_of(const json& result) {
  std::vector<std::string> all;
  const auto writers = number_at(result, "/replay/writing_threads");
  const auto threads = number_at(result, "/replay/threads");
  if (writers && threads) all.push_back(writers_text(*writers, *threads));
  const auto not_replayed = number_at(result, "/replay/operations_not_replayed");
  const auto reads_left_out = number_at(result, "/replay/recorded_reads_left_out");
  if (not_replayed && reads_left_out) all.push_back(left_out_text(*not_replayed, *reads_left_out));
  return all;
}

}  // namespace

std::vector<std::string> replay_remarks(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (auto all = remarks_of(run.result); !all.empty()) return all;
  }
  return {};
}

}  // namespace rocktune::bench::report
