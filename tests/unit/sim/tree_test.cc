#include "sim/tree.h"

#include <vector>

#include "model/compaction_debt.h"
#include "sim/random.h"
#include "tests/support/catch.h"
#include "tests/unit/sim/recording.h"

namespace rocktune::sim {
namespace {

TreeOptions options() {
  return {7, {256u << 20, 10, 4, false}, 64 * test::kMega, false};
}

Tree tree_of(std::vector<double> mebibytes, std::size_t l0_files, const TreeOptions& how) {
  Tree tree(how, {});
  for (double& bytes : mebibytes) bytes *= test::kMega;
  tree.restore(mebibytes, l0_files);
  return tree;
}

double total(const Tree& tree) {
  double bytes = 0;
  for (std::size_t level = 0; level < tree.levels(); ++level) bytes += tree.level_bytes(level);
  return bytes;
}

TEST_CASE("below its triggers a tree rests") {
  Tree tree = tree_of({192, 250, 2500}, 3, options());
  CHECK_FALSE(tree.pick());
  CHECK(tree.debt_bytes() == 0);
}

TEST_CASE("L0 goes to the base level, all files of both") {
  Tree tree = tree_of({256, 250, 2500}, 4, options());
  const auto picked = tree.pick();
  REQUIRE(picked);
  CHECK(picked->kind == CompactionKind::kL0);
  CHECK(picked->files == 4);
  CHECK(picked->output_level == 1);
  CHECK(picked->moved_bytes == Approx(256 * test::kMega));
  CHECK(picked->next_bytes == Approx(250 * test::kMega));
  CHECK_FALSE(tree.pick());  // L0 is busy, and so is the base level
  tree.finish(*picked);
  CHECK(tree.l0_files() == 0);
  CHECK(tree.level_bytes(1) == Approx(506 * test::kMega));
}

TEST_CASE("L0 goes down once all others of the base level have ended, in whatever order they did") {
  for (int size = 1; size <= 50; ++size) {
    TreeOptions small = options();
    small.target_file_bytes = (1 + 0.137 * size) * test::kMega;  // no round number of bytes
    Tree tree = tree_of({0, 1000.1, 3000.7, 20000.3}, 0, small);
    std::vector<Compaction> running;
    for (int i = 0; i < 40; ++i) {
      if (const auto picked = tree.pick()) running.push_back(*picked);
      if (running.size() < 5) continue;
      const auto which = running.begin() + (i * 7) % 5;
      tree.finish(*which);
      running.erase(which);
    }
    for (const Compaction& one : running) tree.finish(one);
    for (int i = 0; i < 30; ++i) tree.add_l0_file(64 * test::kMega);
    const auto picked = tree.pick();
    REQUIRE(picked);
    CHECK(picked->kind == CompactionKind::kL0);
  }
}

TEST_CASE("while L0 goes down, what comes is merged within L0 when it has become much") {
  Tree tree = tree_of({256, 250, 2500}, 4, options());
  const auto down = tree.pick();
  REQUIRE(down);
  for (int i = 0; i < 3; ++i) tree.add_l0_file(64 * test::kMega);
  CHECK_FALSE(tree.pick());  // three free files are too few
  tree.add_l0_file(64 * test::kMega);
  const auto within = tree.pick();
  REQUIRE(within);
  CHECK(within->kind == CompactionKind::kWithinL0);
  CHECK(within->files == 4);
  CHECK(within->output_level == 0);
  tree.add_l0_file(60 * test::kMega);
  tree.finish(*within);
  CHECK(tree.l0_files() == 4 + 1 + 1);
  tree.finish(*down);
  CHECK(tree.l0_files() == 2);
  CHECK(tree.level_bytes(0) == Approx((256 + 60) * test::kMega));
}

TEST_CASE("within L0 a large old file is left alone") {
  Tree tree = tree_of({256, 250, 2500}, 4, options());
  const auto down = tree.pick();
  REQUIRE(down);
  tree.add_l0_file(640 * test::kMega);
  for (int i = 0; i < 4; ++i) tree.add_l0_file(64 * test::kMega);
  const auto within = tree.pick();
  REQUIRE(within);
  CHECK(within->files == 4);
  CHECK(within->moved_bytes == Approx(256 * test::kMega));
}

TEST_CASE("the level that is fullest goes first; an empty next level means moving files") {
  Tree tree = tree_of({0, 300, 6000, 0}, 0, options());
  auto picked = tree.pick();
  REQUIRE(picked);
  CHECK(picked->level == 2);  // 2.3 times its target, level 1 has 1.2
  CHECK(picked->trivial);
  CHECK(picked->moved_bytes == Approx(64 * test::kMega));
  tree.finish(*picked);
  CHECK(tree.level_bytes(2) == Approx(5936 * test::kMega));
  CHECK(tree.level_bytes(3) == Approx(64 * test::kMega));
}

TEST_CASE("a deep compaction reads its share of the next level") {
  Tree tree = tree_of({0, 512, 2000}, 0, options());
  const auto picked = tree.pick();
  REQUIRE(picked);
  CHECK(picked->level == 1);
  CHECK(picked->next_bytes == Approx(0.58 * 64 * test::kMega * (2000.0 / 512 + 0.85)));
  const auto second = tree.pick();  // another file of the same level
  REQUIRE(second);
  CHECK(second->level == 1);
  tree.finish(*picked);
  tree.finish(*second);
  CHECK(tree.level_bytes(1) == Approx(384 * test::kMega));
  CHECK(tree.level_bytes(2) == Approx(2128 * test::kMega));
}

TEST_CASE("L0 waits for a busy base level, of which no more is taken") {
  Tree tree = tree_of({0, 350, 2000}, 0, options());
  const auto deep = tree.pick();
  REQUIRE(deep);
  REQUIRE(deep->level == 1);
  // L0's score is 1.25, above the 1.12 that is left of level 1: L0's turn, and it cannot.
  for (int i = 0; i < 5; ++i) tree.add_l0_file(test::kMega);
  CHECK_FALSE(tree.pick());
  tree.add_l0_file(test::kMega);  // two more than the trigger are merged meanwhile
  const auto within = tree.pick();
  REQUIRE(within);
  CHECK(within->kind == CompactionKind::kWithinL0);
  tree.finish(*within);
  tree.finish(*deep);
  CHECK(tree.l0_files() == 1);
}

TEST_CASE("from RocksDB 9 on a small L0 stays by itself") {
  TreeOptions how = options();
  how.small_l0_stays = true;
  Tree tree = tree_of({4, 250, 2500}, 4, how);
  const auto picked = tree.pick();
  REQUIRE(picked);
  CHECK(picked->kind == CompactionKind::kWithinL0);
  CHECK(tree_of({64, 250, 2500}, 4, how).pick()->kind == CompactionKind::kL0);
}

TEST_CASE("the base level is found where levels are dynamic") {
  TreeOptions how = options();
  how.shape.dynamic_level_bytes = true;
  Tree empty(how, {});
  CHECK(empty.base_level() == 6);
  Tree tree = tree_of({256, 0, 0, 0, 0, 1200, 11000}, 4, how);
  CHECK(tree.base_level() < 6);
  const auto picked = tree.pick();
  REQUIRE(picked);
  CHECK(picked->output_level == tree.base_level());
}

TEST_CASE("the debt is RocksDB's") {
  const Tree tree = tree_of({320, 300, 3000, 26000}, 5, options());
  const std::vector<std::uint64_t> bytes = {
      320u << 20, 300u << 20, 3000ull << 20, 26000ull << 20, 0, 0, 0};
  CHECK(tree.debt_bytes() == compaction_debt_bytes(options().shape, 5, bytes));
  CHECK(tree.debt_bytes() > 0);
}

TEST_CASE("no byte is lost, whatever is picked and in whatever order it ends", "[property]") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    Random random(seed, 1);
    TreeOptions how = options();
    how.shape.dynamic_level_bytes = random.uniform() < 0.5;
    how.small_l0_stays = random.uniform() < 0.5;
    Tree tree(how, {0.3 + random.uniform(), 1});
    double added = 0;
    std::vector<Compaction> running;
    for (int step = 0; step < 400; ++step) {
      if (random.uniform() < 0.5) {
        const double bytes = (1 + 63 * random.uniform()) * test::kMega;
        tree.add_l0_file(bytes);
        added += bytes;
      } else if (random.uniform() < 0.5 && running.size() < 6) {
        if (const auto picked = tree.pick()) running.push_back(*picked);
      } else if (!running.empty()) {
        const auto at =
            running.begin() + static_cast<std::ptrdiff_t>(random.next() % running.size());
        tree.finish(*at);
        running.erase(at);
      }
      REQUIRE(total(tree) == Approx(added));
      for (std::size_t level = 0; level < tree.levels(); ++level) {
        REQUIRE(tree.level_bytes(level) >= 0);
      }
    }
  }
}

// Runs compactions until none is due; returns what was rewritten, bytes.
double settle(Tree& tree) {
  double rewritten = 0;
  while (const auto picked = tree.pick()) {
    if (!picked->trivial) rewritten += picked->input_bytes();
    tree.finish(*picked);
  }
  return rewritten;
}

TEST_CASE("files of appended keys sink to where there is room, without being rewritten") {
  Tree tree = tree_of({0, 250, 2500}, 0, options());
  for (int i = 0; i < 7; ++i) tree.add_l0_file(64 * test::kMega, Tree::Keys::kAppended);
  CHECK(settle(tree) == 0);
  CHECK(tree.l0_files() == 3);  // one less than the trigger
  CHECK(tree.level_bytes(1) == Approx(250 * test::kMega));
  CHECK(tree.level_bytes(2) == Approx(2500 * test::kMega));
  CHECK(tree.level_bytes(3) == Approx(256 * test::kMega));
}

TEST_CASE("files of appended keys are like others once something was merged with them") {
  Tree tree = tree_of({0, 100, 2500}, 0, options());
  for (int i = 0; i < 4; ++i) tree.add_l0_file(32 * test::kMega, Tree::Keys::kAppended);
  CHECK(settle(tree) == 0);
  for (int i = 0; i < 4; ++i) tree.add_l0_file(64 * test::kMega);
  auto merged = tree.pick();
  while (merged && merged->trivial) {
    tree.finish(*merged);
    merged = tree.pick();
  }
  REQUIRE(merged);
  CHECK(merged->next_bytes == Approx(228 * test::kMega));
  tree.finish(*merged);
  CHECK(settle(tree) > 0);
}

}  // namespace
}  // namespace rocktune::sim
