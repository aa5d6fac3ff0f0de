// A tree of files that have ranges of keys, evenly written all over: what the plant's law of
// overlap stands for. RocksDB's rules where they matter to it: level 0 goes to all of level 1; from
// a deeper level the file goes that overlaps least of the next one for its size
// (kMinOverlappingRatio), with all files that it overlaps; what comes out is cut into files of one
// size, the unit of all sizes here.
#pragma once

#include <cstddef>
#include <vector>

namespace rocktune::test {

struct DeepPick {
  double ratio = 0;       // of the next level's size to that of the file's own
  double overlapped = 0;  // of the next level's, per size of the file
};

// Of a tree that is written `flushes` files of 0.85, with work for `files_per_flush` files read
// between two of them; its level 1 is for 4 files, and each deeper one for ten times as many.
std::vector<DeepPick> deep_picks(std::size_t flushes, double files_per_flush);

}  // namespace rocktune::test
