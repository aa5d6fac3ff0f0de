// What a throttled loop device leaves on the machine, written down before any of it is made: a
// process that is killed takes nothing down, but the next one finds its note and does.
//
// A note is a JSON file in /run/rocktune-bench, locked (flock) as long as its process lives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/result.h"

namespace rocktune::bench {

constexpr const char* kLoopNotes = "/run/rocktune-bench";

struct LoopTraces {
  std::string directory;  // holds the image and the mount point, nothing else
  std::string group;      // the control group's directory

  [[nodiscard]] std::string image() const { return directory + "/image"; }
  [[nodiscard]] std::string mount_point() const { return directory + "/mnt"; }
};

// Unmounts, detaches, and removes whatever of it is there. Returns whether nothing is left.
bool take_down(const LoopTraces& traces);

class LoopNote {
 public:
  // `notes` is the directory of the notes, made when missing.
  static Result<LoopNote> write(const std::string& notes, const LoopTraces& traces);
  ~LoopNote();  // removes the note, unless keep()
  void keep();  // what it names could not be taken down: others may try
  LoopNote(LoopNote&& other) noexcept;
  LoopNote& operator=(LoopNote&&) = delete;

 private:
  LoopNote(std::string path, int file) : path_(std::move(path)), file_(file) {}
  std::string path_;
  int file_ = -1;
};

struct LoopLeftover {
  LoopTraces traces;
  bool removed = false;  // else its note stays, for another attempt
};

// Takes down what processes that no longer live have noted; returns what that was.
std::vector<LoopLeftover> take_down_leftovers(const std::string& notes);

}  // namespace rocktune::bench
