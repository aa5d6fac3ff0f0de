// MarkList: what happened, to be marked on charts; of each kind a bounded number, spread evenly
// over the recording. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "page/page.h"

namespace rocktune::tools {

namespace mark_kind {
inline constexpr const char* kAlert = "alert";
inline constexpr const char* kDecision = "decision";
inline constexpr const char* kBetter = "outcome: better";
inline constexpr const char* kWorse = "outcome: worse";
inline constexpr const char* kOther = "outcome: no change, or not known";
inline constexpr const char* kManual = "changed by the operator";
}  // namespace mark_kind

class MarkList {
 public:
  // Six kinds stay below page::kMostMarks.
  static constexpr std::size_t kMostOfKind = page::kMostMarks / 6;

  void add(double seconds, const std::string& kind, std::string text);

  [[nodiscard]] static std::vector<std::string> kinds();
  [[nodiscard]] std::vector<page::Mark> marks() const;
  [[nodiscard]] std::uint64_t left_out() const;

 private:
  struct OfKind {
    std::vector<page::Mark> kept;
    std::uint64_t seen = 0;
    std::uint64_t stride = 1;  // every so-manieth is kept
  };
  std::map<std::string, OfKind> kinds_;
};

}  // namespace rocktune::tools
