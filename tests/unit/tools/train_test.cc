#include "stall_trace.h"
#include "support.h"
#include "tools/train_run.h"

using namespace rocktune;
using namespace rocktune::tools;
using namespace rocktune::tools::test;

namespace {

constexpr std::size_t kBacklog = 1;  // IndicatorKind::kCompactionBacklog

Trained train_on(const TrainRequest& request, const TrainProgress& progress = {}) {
  auto trained = train(request, progress);
  if (!trained) FAIL(trained.error().message);
  return *std::move(trained);
}

std::vector<std::string> names_of(const Trained& trained) {
  std::vector<std::string> names;
  for (const TrainedOn& one : trained.prior.notes.trained_on) names.push_back(one.trace);
  return names;
}

}  // namespace

TEST_CASE("the same traces in any order give the same bytes", "[tools]") {
  const TempDirectory directory;
  const auto early = record_stall(directory, "early.sqlite", 1, 40);
  const auto late = record_stall(directory, "late.sqlite", 2, 40);
  TrainRequest request;
  request.traces = {early, late};
  const std::string text = prior_text(train_on(request).prior);
  std::swap(request.traces[0], request.traces[1]);
  CHECK(prior_text(train_on(request).prior) == text);
  const auto read = parse_prior(text, "m.yaml");
  REQUIRE(read);
  CHECK(*read == train_on(request).prior);
}

TEST_CASE("a model names what it learnt from and how it scored", "[tools]") {
  const TempDirectory directory;
  TrainRequest request;
  request.traces = {record_stall(directory, "b.sqlite", 2, 40),
                    record_stall(directory, "a.sqlite", 1, 40)};
  const Trained trained = train_on(request);
  REQUIRE(names_of(trained) == std::vector<std::string>{"a", "b"});
  const TrainedOn& first = trained.prior.notes.trained_on[0];
  CHECK(first.seconds == 599);
  CHECK(first.onsets == std::array<std::uint64_t, 3>{0, 1, 0});
  CHECK(trained.prior.learnt.indicators[kBacklog].seconds > 0);
  CHECK(trained.prior.learnt.indicators[kBacklog].onsets > 0);
  REQUIRE(trained.evaluation);
  bool scored = false;
  for (const PriorScore& one : trained.prior.notes.scored) {
    scored = scored || (one.kind == IndicatorKind::kCompactionBacklog && one.events == 1 &&
                        one.detector == "rocktune");
  }
  CHECK(scored);
}

TEST_CASE("each epoch learns from every run, and a fold only from what was before it", "[tools]") {
  const TempDirectory directory;
  TrainRequest request;
  request.traces = {record_stall(directory, "a.sqlite", 1, 40),
                    record_stall(directory, "b.sqlite", 2, 40),
                    record_stall(directory, "c.sqlite", 3, 40)};
  request.epochs = 2;
  std::vector<std::string> said;
  train_on(request,
           [&](const std::string& doing, std::size_t, std::size_t total, const std::string& name) {
             said.push_back(doing.substr(0, 8) + " " + std::to_string(total) + " " + name);
           });
  // a is scored with nothing learnt, b after a, c after a and b; then all three. Later epochs are
  // in an order of the seed's.
  REQUIRE(said.size() == 3 + 2 * (1 + 2 + 3));
  CHECK(said[0] == "scoring 3 a");
  CHECK(said[1] == "learning 1 a");
  CHECK(said[2] == "learning 1 a");
  CHECK(said[3] == "scoring 3 b");
  CHECK(said[4] == "learning 2 a");
  CHECK(said[5] == "learning 2 b");
  CHECK(said[8] == "scoring 3 c");
  CHECK(said[11] == "learning 3 c");
}

TEST_CASE("a fold that nothing came before learns for each run from those before it", "[tools]") {
  const TempDirectory directory;
  TrainRequest request;
  for (int day = 1; day <= 11; ++day) {  // folds of two
    const std::string name = (day < 10 ? "r0" : "r") + std::to_string(day) + ".sqlite";
    request.traces.push_back(record_stall(directory, name, day, 20));
  }
  request.epochs = 1;
  std::vector<std::string> said;
  train_on(request,
           [&](const std::string& doing, std::size_t, std::size_t total, const std::string& name) {
             said.push_back(doing.substr(0, 8) + " " + std::to_string(total) + " " + name);
           });
  CHECK(said[0] == "scoring 11 r01");
  CHECK(said[1] == "learning 1 r01");
  CHECK(said[2] == "scoring 11 r02");
  CHECK(said[3] == "learning 2 r01");
  CHECK(said[5] == "scoring 11 r03");
  CHECK(said[6] == "scoring 11 r04");
}

TEST_CASE("runs of the same time have no score", "[tools]") {
  const TempDirectory directory;
  TrainRequest request;
  request.traces = {record_stall(directory, "a.sqlite", 1, 40, 2)};  // two databases
  const Trained trained = train_on(request);
  CHECK_FALSE(trained.evaluation);
  CHECK(trained.prior.notes.scored.empty());
  CHECK(names_of(trained).size() == 2);
}

TEST_CASE("what is held out is scored and never learnt", "[tools]") {
  const TempDirectory directory;
  TrainRequest request;
  request.traces = {record_stall(directory, "nvme-1.sqlite", 1, 40),
                    record_stall(directory, "nvme-2.sqlite", 2, 40),
                    record_stall(directory, "disk-1.sqlite", 3, 40)};
  request.hold_out = {"disk"};
  const Trained trained = train_on(request);
  CHECK(names_of(trained) == std::vector<std::string>{"nvme-1", "nvme-2"});
  REQUIRE(trained.evaluation);
  REQUIRE(trained.evaluation->splits.size() == 1);
  CHECK(trained.runs[trained.evaluation->splits[0].run].name == "disk-1");

  TrainRequest without = request;
  without.traces.pop_back();
  without.hold_out.clear();
  CHECK(train_on(without).prior.learnt == trained.prior.learnt);
}

TEST_CASE("thresholds belong to databases: a prior's is where each begins", "[tools]") {
  const TempDirectory directory;
  TrainRequest request;
  request.traces = {record_stall(directory, "a.sqlite", 1, 40)};
  request.false_alarms_per_day = 1000;
  const LearntIndicator learnt = train_on(request).prior.learnt.indicators[kBacklog];
  CHECK(learnt.threshold_log_odds == kFirstThreshold);
  request.epochs = 1;
  CHECK(train_on(request).prior.learnt.indicators[kBacklog].seconds == learnt.seconds);
}

TEST_CASE("what cannot be trained is said before anything is read", "[tools]") {
  const TempDirectory directory;
  TrainRequest request;
  request.traces = {record_stall(directory, "a.sqlite", 1, 40)};
  CHECK_FALSE(train_on(request).evaluation);
  bool worked = false;
  const TrainProgress note = [&](const auto&...) { worked = true; };
  for (const char* pattern : {"a", "b"}) {
    request.hold_out = {pattern};
    const auto refused = train(request, note);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kInvalidArgument);
  }
  request.hold_out.clear();
  request.traces.push_back(request.traces[0]);
  CHECK_FALSE(train(request, note));
  CHECK_FALSE(worked);
}
