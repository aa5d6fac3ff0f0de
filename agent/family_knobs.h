// The knobs of one column family: what SetOptions changes.
#pragma once

#include <rocksdb/db.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "agent/families.h"
#include "agent/knob.h"
#include "agent/option_knob.h"
#include "agent/shared_objects.h"
#include "agent/write_stop.h"

namespace rocktune::agent {

// The catalogue's options of a column family, for samples: those that a whole number tells exactly.
std::map<std::string, std::int64_t> family_option_values(const rocksdb::ColumnFamilyOptions&);

class FamilyGroup final : public KnobGroup {
 public:
  // `all` are its fellows, which share the machine's memory. As for `writable`: DatabaseGroup.
  FamilyGroup(rocksdb::DB* db, std::shared_ptr<Family> family, std::shared_ptr<const Families> all,
              bool writable);

  void refresh() override { family_->options().drop(); }
  [[nodiscard]] std::string contradiction(const Assignments& changes) const override;
  // More memory than there is; what is there already is the host's affair.
  [[nodiscard]] std::string excess(const Assignments& changes) const override;
  // A host's thread that destroys its handle never waits: in a stop 11.8.1's SetOptions can, behind
  // a column family that is created meanwhile.
  [[nodiscard]] std::string why_not_now(const Assignments& /*changes*/) const override {
    return kEveryOptionWaits || retired() ? why_options_wait(db_) : std::string();
  }
  std::string write(const Assignments& changes) override;

 private:
  void let_go() override { leave_states(*this); }  // the family itself is forgotten by its owner

  rocksdb::DB* const db_;
  const std::shared_ptr<Family> family_;
  const std::shared_ptr<const Families> all_;
};

}  // namespace rocktune::agent
