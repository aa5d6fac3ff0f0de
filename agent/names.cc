#include "agent/names.h"

#include <rocksdb/statistics.h>

#include <algorithm>

#include "agent/property_names.inc"  // made by CMake: kPropertyNames

namespace rocktune::agent {
namespace {

template <class Map>
const Names* sorted_copy(const Map& map) {
  auto* const list = new Names;  // never destroyed: samples may be taken until the very end
  for (const auto& [number, name] : map) list->emplace_back(number, without_prefix(name));
  std::ranges::sort(*list, {}, [](const auto& item) { return item.second; });
  return list;
}

}  // namespace

const Names& tickers() {
  static const Names* const all = sorted_copy(rocksdb::TickersNameMap);
  return *all;
}

const Names& histograms() {
  static const Names* const all = sorted_copy(rocksdb::HistogramsNameMap);
  return *all;
}

const std::vector<std::string>& properties() {
  static const auto* const all =
      new std::vector<std::string>(std::begin(kPropertyNames), std::end(kPropertyNames));
  return *all;
}

std::string without_prefix(std::string_view name) {
  constexpr std::string_view kPrefix = "rocksdb.";
  return std::string(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name);
}

}  // namespace rocktune::agent
