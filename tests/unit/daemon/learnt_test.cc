// What is learnt of a database outlives the daemon.
#include <filesystem>

#include "daemon/learnt_store.h"
#include "prior/prior.h"
#include "tests/unit/daemon/target_world.h"

using namespace rocktune;
using namespace rocktune::daemon;
using World = rocktune::daemon::test::TargetWorld;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

Learnt some_learnt(float weight) {
  Learnt learnt;
  for (LearntIndicator& one : learnt.indicators) {
    one.seconds = 100;
    one.events[0].weights.fill(weight);
  }
  return learnt;
}

std::string file_of(const World& world, const std::string& database) {
  return world.tree.path("learnt") + "/" + LearntStore::file_name(database);
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Polls until something was learnt: what is looked at is known a horizon later.
void learn_something(World& world, Target& target, std::uint64_t from = 1) {
  for (std::uint64_t n = from; n < from + 200; ++n) world.poll(target, n);
}

// As the store names its files.
std::string old_file(int i) {
  const std::string digits = std::to_string(i);
  return "learnt/old-" + std::string(16 - digits.size(), '0') + digits + ".yaml";
}

}  // namespace

TEST_CASE("what was saved is found, by the path of its database", "[daemon][learnt]") {
  World world;
  LearntStore& store = world.learnt;
  CHECK_FALSE(store.find("/data/a").learnt);
  CHECK(store.find("/data/a").why_discarded.empty());
  store.save("/data/a", some_learnt(0.25F));
  store.save("/data/b", some_learnt(0.5F));
  REQUIRE(store.find("/data/a").learnt);
  CHECK(*store.find("/data/a").learnt == some_learnt(0.25F));
  CHECK(*store.find("/data/b").learnt == some_learnt(0.5F));
  CHECK(LearntStore::file_name("/x/a") != LearntStore::file_name("/y/a"));
  CHECK(LearntStore::file_name("/x/../\n\xff")
            .find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") == std::string::npos);
}

TEST_CASE("what does not fit is not used, and it is said why", "[daemon][learnt]") {
  World world;
  LearntStore& store = world.learnt;
  store.save("/data/a", some_learnt(0.25F));
  const std::string path = file_of(world, "/data/a");
  const std::string good = text_of(path);

  const auto refused = [&](const std::string& text, const std::string& why) {
    std::ofstream(path) << text;
    const LearntStore::Found found = store.find("/data/a");
    CHECK_FALSE(found.learnt);
    INFO(found.why_discarded);
    CHECK(found.why_discarded.find(why) != std::string::npos);
    CHECK(found.why_discarded.find("rocktune train") ==
          std::string::npos);  // nothing is to be done
  };
  refused("garbage", path);
  refused("", path);
  refused(good.substr(0, good.size() / 2), path);
  refused(std::string(5 << 20, '#'), "larger than");
  std::string other = good;
  refused(other.replace(other.find("version: 1"), 10, "version: 9"), "version '9'");
  other = good;
  refused(other.replace(other.find("/data/a"), 7, "/data/z"), "another database, /data/z");
  std::ofstream(path) << good;
  CHECK(store.find("/data/a").learnt);
}

TEST_CASE("a directory that cannot be written costs nothing but what is learnt",
          "[daemon][learnt]") {
  World world;
  const std::string log_file = world.tree.path("log");
  REQUIRE(world.log.open("info", log_file));
  std::ofstream(world.tree.path("learnt")) << "in the way";
  for (int i = 0; i < 3; ++i) world.learnt.save("/data/a", some_learnt(0.25F));
  const std::string said = text_of(log_file);
  const auto first = said.find("cannot save what the early warnings have learnt");
  REQUIRE(first != std::string::npos);
  CHECK(said.find("cannot save", first + 1) == std::string::npos);

  fs::remove(world.tree.path("learnt"));
  world.learnt.save("/data/a", some_learnt(0.25F));
  CHECK(world.learnt.find("/data/a").learnt);
  CHECK(text_of(log_file).find("can be saved again") != std::string::npos);
}

TEST_CASE("the number of files is bounded", "[daemon][learnt]") {
  World world;
  for (std::size_t i = 0; i < LearntStore::kMostFiles + 10; ++i) {
    world.tree.file(old_file(i), "");
    fs::last_write_time(world.tree.path(old_file(i)),
                        fs::file_time_type::clock::now() - 1000h + std::chrono::seconds(i));
  }
  world.learnt.save("/data/a", some_learnt(0.25F));
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(world.tree.path("learnt"))) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  CHECK(files == LearntStore::kMostFiles);
  CHECK(world.learnt.find("/data/a").learnt);
  CHECK_FALSE(fs::exists(world.tree.path(old_file(0))));
}

TEST_CASE("nothing is saved where it is off", "[daemon][learnt]") {
  World world;
  LearntStore off("", 10min, world.log);
  off.save("/data/a", some_learnt(0.25F));
  CHECK_FALSE(off.find("/data/a").learnt);
}

TEST_CASE("a target learns on from what was saved, and the trace has it", "[daemon][learnt]") {
  World world;
  const std::string path = world.tree.path("db");
  {
    const auto target = world.target(Mode::kObserve);
    target->opened(world.opening());
    learn_something(world, *target);
    CHECK_FALSE(world.learnt.find(path).learnt);  // not yet due
    target->closed("the host closed it");
  }
  const auto saved = world.learnt.find(path).learnt;
  REQUIRE(saved);
  CHECK(saved->indicators[1].seconds > 0);

  const auto target = world.target(Mode::kObserve);
  target->opened(world.opening("2"));
  learn_something(world, *target);
  target->finish();
  CHECK(world.learnt.find(path).learnt->indicators[1].seconds > saved->indicators[1].seconds);
  auto reader = trace::Reader::open(world.trace.path());
  REQUIRE(reader);
  const auto targets = reader->targets();
  REQUIRE(targets);
  REQUIRE(targets->size() == 2);
  CHECK_FALSE(targets->at(0).info.engine.prior);
  REQUIRE(targets->at(1).info.engine.prior);
  CHECK(*targets->at(1).info.engine.prior == *saved);
}

TEST_CASE("what is learnt is saved at every interval", "[daemon][learnt]") {
  World world;
  world.learnt.set_interval(60s);
  const auto target = world.target(Mode::kObserve);
  target->opened(world.opening());
  for (std::uint64_t n = 1; n <= 110; ++n) world.poll(*target, n);  // 55 s
  CHECK_FALSE(world.learnt.find(world.tree.path("db")).learnt);
  for (std::uint64_t n = 111; n <= 130; ++n) world.poll(*target, n);
  CHECK(world.learnt.find(world.tree.path("db")).learnt);
}

TEST_CASE("a target begins with the prior where the saved state is of no use", "[daemon][learnt]") {
  World world;
  fs::create_directories(world.tree.path("learnt"));
  std::ofstream(file_of(world, world.tree.path("db"))) << "garbage";
  const auto target = world.target(Mode::kObserve);
  const auto lines = world.alert_lines("daemon");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("\"id\":\"learnt\"") != std::string::npos);
  CHECK(lines[0].find("was discarded") != std::string::npos);
  target->opened(world.opening());
  learn_something(world, *target);
  target->finish();
  CHECK(world.learnt.find(world.tree.path("db")).learnt);
}

TEST_CASE("another configuration goes on with what was learnt", "[daemon][learnt]") {
  World world;
  const auto target = world.target(Mode::kObserve);
  target->opened(world.opening());
  learn_something(world, *target);
  TargetRule rule;
  rule.path = "/db";
  rule.mode = Mode::kObserve;
  rule.engine.objective.horizon_seconds = 20;
  REQUIRE(target->reconfigure(2, rule));
  world.poll(*target, 300);
  auto reader = trace::Reader::open(world.trace.path());
  REQUIRE(reader);
  const auto targets = reader->targets();
  REQUIRE(targets);
  REQUIRE(targets->size() == 2);
  REQUIRE(targets->at(1).info.engine.prior);
  CHECK(targets->at(1).info.engine.prior->indicators[1].seconds > 0);
  CHECK(targets->at(1).info.engine.objective.horizon_seconds == 20);
}
