// KnobReadings: the knobs as one sample has them. The list is shared: a copy costs no more than a
// pointer, so that samples, features and whoever remembers them have the same one for as long as no
// knob changes, which is nearly always. Different copies may be read by different threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rocktune {

enum class KnobOwner { kFound, kRocktune, kManual };

// One changeable value as it stands (read back by the agent, never remembered by us).
struct KnobReading {
  std::string name;           // a name of the catalogue, model/knobs.h
  std::string column_family;  // empty: the whole database
  std::int64_t value = 0;
  std::int64_t found = 0;  // before rocktune changed anything: what a rollback returns to
  KnobOwner owner = KnobOwner::kFound;
  bool changeable = false;
  std::string reason;    // why not changeable
  std::int64_t min = 0;  // what the agent would accept
  std::int64_t max = 0;
  bool operator==(const KnobReading&) const = default;
};

class KnobReadings {
 public:
  using List = std::vector<KnobReading>;

  KnobReadings() = default;
  KnobReadings(List readings);  // NOLINT(google-explicit-constructor): a list is one
  KnobReadings(std::initializer_list<KnobReading> readings) : KnobReadings(List(readings)) {}

  [[nodiscard]] List::const_iterator begin() const { return list().begin(); }
  [[nodiscard]] List::const_iterator end() const { return list().end(); }
  [[nodiscard]] std::size_t size() const { return list().size(); }
  [[nodiscard]] bool empty() const { return list().empty(); }
  [[nodiscard]] const KnobReading& operator[](std::size_t i) const { return list()[i]; }
  // The first of that name and column family; nullptr when there is none. A list that was edited is
  // gone through one by one; all others, the samples' own, are looked up.
  [[nodiscard]] const KnobReading* find(std::string_view name,
                                        std::string_view column_family) const;

  // To change it: other copies stay as they are.
  List& edit();

  bool operator==(const KnobReadings& other) const {
    return shared_ == other.shared_ || list() == other.list();
  }

 private:
  using Key = std::pair<std::string_view, std::string_view>;  // name, column family
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  using Index = std::unordered_map<Key, std::size_t, KeyHash>;
  struct Shared {
    List list;
    Index index;  // into the list; none of one that was edited
  };
  [[nodiscard]] const List& list() const;

  std::shared_ptr<Shared> shared_;  // null: empty
};

}  // namespace rocktune
