#include "policy/table_share.h"

#include <algorithm>
#include <utility>

namespace rocktune {
namespace {

// What a flush wrote is counted a sample before or after its file is seen: of so many that is an
// eighth. Of more than so many half are forgotten, since values may begin to go elsewhere.
constexpr double kLeastFlushes = 8, kMostFlushes = 32;

}  // namespace

void TableShare::observe(const Features& f, const Level0Merges& merges) {
  std::map<std::string, std::uint64_t, std::less<>> now;
  double flushes = 0, tables = 0;
  bool known = f.flush_bytes_per_second && !seen_.empty();
  std::size_t place = 0;
  for (const ColumnFamilyReading& family : f.column_families) {
    const Level0Merging* merging = merges.of(family.name, place++);
    if (!family.flushes) continue;
    now.emplace(family.name, *family.flushes);
    const auto before = seen_.find(family.name);
    if (before == seen_.end() || *family.flushes <= before->second) continue;
    const auto more = static_cast<double>(*family.flushes - before->second);
    known = known && merging != nullptr && merging->share_known;
    if (!known) continue;
    flushes += more;
    tables +=
        more * merging->file_share * static_cast<double>(family.write_buffer_bytes.value_or(0));
  }
  seen_ = std::move(now);
  if (!known) return;
  flushes_ += flushes;
  tables_ += tables;
  written_ += *f.flush_bytes_per_second * f.interval_seconds;
  if (flushes_ <= kMostFlushes) return;
  for (double* one : {&flushes_, &tables_, &written_}) *one /= 2;
}

Value TableShare::share() const {
  if (flushes_ < kLeastFlushes || !(written_ > 0)) return std::nullopt;
  return std::min(1.0, tables_ / written_);
}

}  // namespace rocktune
