#include "agent/family_knobs.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "agent/relations.h"

namespace rocktune::agent {
namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::ColumnFamilyOptions;
using FamilySpec = OptionKnob<ColumnFamilyOptions>::Spec;

// From 9.8 on RocksDB replaces the table factory on a change; before, it changes the options within
// the object, which column families and databases may share, and takes no filter policy.
#if ROCKSDB_MAJOR > 9 || (ROCKSDB_MAJOR == 9 && ROCKSDB_MINOR >= 8)
constexpr bool kReplacesTableFactory = true;
#else
constexpr bool kReplacesTableFactory = false;
#endif

const BlockBasedTableOptions* table_of(const ColumnFamilyOptions& options) {
  if (!options.table_factory) return nullptr;
  return options.table_factory->GetOptions<BlockBasedTableOptions>();
}

std::string not_fifo(const ColumnFamilyOptions& options) {
  if (options.compaction_style != rocksdb::kCompactionStyleFIFO) return {};
  return "it has no meaning for FIFO compaction";
}

std::string only_level(const ColumnFamilyOptions& options) {
  if (options.compaction_style == rocksdb::kCompactionStyleLevel) return {};
  return "it has a meaning for level compaction only";
}

std::string only_block_based(const ColumnFamilyOptions& options) {
  return table_of(options) != nullptr ? "" : "its tables are not block-based";
}

// "bloomfilter:10:false", where the number may have a fraction.
constexpr std::string_view kBloom = "bloomfilter:";

std::string filter_of(const ColumnFamilyOptions& options) {
  const auto* const table = table_of(options);
  return table == nullptr || !table->filter_policy ? std::string() : table->filter_policy->GetId();
}

OptionValue bloom_bits(const ColumnFamilyOptions& options) {
  const auto filter = filter_of(options);
  if (!filter.starts_with(kBloom)) return {};  // none is 0
  double bits = 0;
  std::from_chars(filter.data() + kBloom.size(), filter.data() + filter.size(), bits);
  return OptionValue::of(bits);
}

std::string only_bloom(const ColumnFamilyOptions& options) {
  if (!kReplacesTableFactory) {
    return "RocksDB " + std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) +
           " cannot change filter_policy while a database is open; 9.8 and later can";
  }
  if (auto why = only_block_based(options); !why.empty()) return why;
  const auto filter = filter_of(options);
  return filter.empty() || filter.starts_with(kBloom)
             ? ""
             : "its filter is not a Bloom filter, but " + filter;
}

constexpr FamilySpec kFamilyOptions[] = {
    {"write_buffer_size", plain<&ColumnFamilyOptions::write_buffer_size>, nullptr,
     "write_buffer_size"},
    {"max_write_buffer_number", plain<&ColumnFamilyOptions::max_write_buffer_number>, nullptr,
     "max_write_buffer_number"},
    {"level0_file_num_compaction_trigger",
     plain<&ColumnFamilyOptions::level0_file_num_compaction_trigger>, not_fifo,
     "level0_file_num_compaction_trigger"},
    {"level0_slowdown_writes_trigger", plain<&ColumnFamilyOptions::level0_slowdown_writes_trigger>,
     not_fifo, "level0_slowdown_writes_trigger"},
    {"level0_stop_writes_trigger", plain<&ColumnFamilyOptions::level0_stop_writes_trigger>,
     not_fifo, "level0_stop_writes_trigger"},
    {"soft_pending_compaction_bytes_limit",
     plain<&ColumnFamilyOptions::soft_pending_compaction_bytes_limit>, not_fifo,
     "soft_pending_compaction_bytes_limit"},
    {"hard_pending_compaction_bytes_limit",
     plain<&ColumnFamilyOptions::hard_pending_compaction_bytes_limit>, not_fifo,
     "hard_pending_compaction_bytes_limit"},
    {"target_file_size_base", plain<&ColumnFamilyOptions::target_file_size_base>, not_fifo,
     "target_file_size_base"},
    {"target_file_size_multiplier", plain<&ColumnFamilyOptions::target_file_size_multiplier>,
     only_level, "target_file_size_multiplier"},
    {"max_compaction_bytes", plain<&ColumnFamilyOptions::max_compaction_bytes>, not_fifo,
     "max_compaction_bytes"},
    {"max_bytes_for_level_base", plain<&ColumnFamilyOptions::max_bytes_for_level_base>, only_level,
     "max_bytes_for_level_base"},
    {"max_bytes_for_level_multiplier", plain<&ColumnFamilyOptions::max_bytes_for_level_multiplier>,
     only_level, "max_bytes_for_level_multiplier"},
    {"block_size",
     [](const ColumnFamilyOptions& options) {
       const auto* const table = table_of(options);
       return table == nullptr ? OptionValue{} : OptionValue::of(table->block_size);
     },
     only_block_based, "block_based_table_factory", "block_size"},
    {"bloom_bits_per_key", bloom_bits, only_bloom, "block_based_table_factory", "filter_policy",
     kBloom, ":false", "nullptr"},
};

// Of column families with universal compaction.
constexpr FamilySpec kUniversalOptions[] = {
    {"universal_size_ratio",
     [](const ColumnFamilyOptions& options) {
       return OptionValue::of(options.compaction_options_universal.size_ratio);
     },
     nullptr, "compaction_options_universal", "size_ratio"},
    {"universal_min_merge_width",
     [](const ColumnFamilyOptions& options) {
       return OptionValue::of(options.compaction_options_universal.min_merge_width);
     },
     nullptr, "compaction_options_universal", "min_merge_width"},
    {"universal_max_merge_width",
     [](const ColumnFamilyOptions& options) {
       return OptionValue::of(options.compaction_options_universal.max_merge_width);
     },
     nullptr, "compaction_options_universal", "max_merge_width"},
    {"universal_max_size_amplification_percent",
     [](const ColumnFamilyOptions& options) {
       return OptionValue::of(options.compaction_options_universal.max_size_amplification_percent);
     },
     nullptr, "compaction_options_universal", "max_size_amplification_percent"},
};

template <class Each>
void for_each_option(const ColumnFamilyOptions& options, Each&& each) {
  for (const auto& spec : kFamilyOptions) each(spec);
  if (options.compaction_style != rocksdb::kCompactionStyleUniversal) return;
  for (const auto& spec : kUniversalOptions) each(spec);
}

// A table factory that is changed in place is one object for all that were given it.
std::shared_ptr<KnobState> state_for(const FamilySpec& spec, const ColumnFamilyOptions& options) {
  if (!kReplacesTableFactory && spec.name == "block_size") return state_of(options.table_factory);
  return std::make_shared<KnobState>();
}

// The host may have set either of them to what it takes for "without limit".
std::int64_t memtable_bytes(std::int64_t size, std::int64_t number) {
  std::int64_t bytes = 0;
  const bool overflows = __builtin_mul_overflow(size, std::max<std::int64_t>(1, number), &bytes);
  return overflows ? std::numeric_limits<std::int64_t>::max() : bytes;
}

std::int64_t memtable_bytes(const ColumnFamilyOptions& options) {
  return memtable_bytes(OptionValue::of(options.write_buffer_size).value,
                        options.max_write_buffer_number);
}

std::string wrong_level0(const Proposal& proposal) {
  constexpr std::string_view kTrigger = "level0_file_num_compaction_trigger";
  constexpr std::string_view kSlowdown = "level0_slowdown_writes_trigger";
  constexpr std::string_view kStop = "level0_stop_writes_trigger";
  if (auto why = proposal.require_order(kTrigger, kSlowdown); !why.empty()) return why;
  return proposal.require_order(kSlowdown, kStop);
}

std::string wrong_pending(const Proposal& proposal) {
  constexpr std::string_view kSoft = "soft_pending_compaction_bytes_limit";
  constexpr std::string_view kHard = "hard_pending_compaction_bytes_limit";
  const bool off = proposal.value(kSoft) <= 0 || proposal.value(kHard) <= 0;
  return off ? std::string() : proposal.require_order(kSoft, kHard);
}

std::string wrong_memtables(const Proposal& proposal, const ColumnFamilyOptions& options) {
  constexpr std::string_view kNumber = "max_write_buffer_number";
  if (!proposal.changes(kNumber)) return {};
  const auto number = proposal.value(kNumber);
  const auto merged = options.min_write_buffer_number_to_merge;
  if (number > merged) return {};
  return std::string(kNumber) + " would be " + std::to_string(number) + ", not above " +
         "min_write_buffer_number_to_merge, which is " + std::to_string(merged);
}

std::string wrong_block_size(const Proposal& proposal, const ColumnFamilyOptions& options) {
  const auto* const table = table_of(options);
  if (!proposal.changes("block_size") || table == nullptr || !table->block_align) return {};
  const auto size = static_cast<std::uint64_t>(proposal.value("block_size"));
  return std::has_single_bit(size) ? ""
                                   : "block_size must be a power of two, as block_align is set";
}

}  // namespace

std::map<std::string, std::int64_t> family_option_values(const ColumnFamilyOptions& options) {
  std::map<std::string, std::int64_t> values;
  for_each_option(options, [&](const FamilySpec& spec) {
    const auto value = spec.read(options);
    if (value.exact) values.emplace(spec.name, value.value);
  });
  // No knobs, but stalls depend on them; the last one may change.
  const bool leveled = options.compaction_style == rocksdb::kCompactionStyleLevel;
  values.emplace("leveled_compaction", leveled ? 1 : 0);
  values.emplace("level_compaction_dynamic_level_bytes",
                 options.level_compaction_dynamic_level_bytes ? 1 : 0);
  values.emplace("disable_auto_compactions", options.disable_auto_compactions ? 1 : 0);
  return values;
}

FamilyGroup::FamilyGroup(rocksdb::DB* db, std::shared_ptr<Family> family,
                         std::shared_ptr<const Families> all, bool writable)
    : KnobGroup(Scope::kColumnFamily, family->name()),
      db_(db),
      family_(std::move(family)),
      all_(std::move(all)) {
  const auto options = family_->options().get(Freshness::kCached);
  if (!options) return;
  const std::string fixed = writable ? "" : "the database is not open for writing";
  for_each_option(*options, [&](const FamilySpec& spec) {
    add(std::make_unique<OptionKnob<ColumnFamilyOptions>>(spec, state_for(spec, *options),
                                                          family_->options(), fixed));
  });
}

std::string FamilyGroup::contradiction(const Assignments& changes) const {
  const auto options = family_->options().get(Freshness::kCached);
  if (!options) return "the column family's handle is gone";
  const Proposal proposal(*this, changes);
  for (auto why :
       {wrong_level0(proposal), wrong_pending(proposal), wrong_memtables(proposal, *options),
        proposal.require_order("target_file_size_base", "max_compaction_bytes"),
        wrong_block_size(proposal, *options),
        proposal.require_order("universal_min_merge_width", "universal_max_merge_width")}) {
    if (!why.empty()) return why;
  }
  return {};
}

std::string FamilyGroup::excess(const Assignments& changes) const {
  const Proposal proposal(*this, changes);
  if (!proposal.changes("write_buffer_size") && !proposal.changes("max_write_buffer_number")) {
    return {};
  }
  const auto wanted = memtable_bytes(proposal.value("write_buffer_size"),
                                     proposal.value("max_write_buffer_number"));
  const auto own = family_->options().get(Freshness::kCached);
  if (!own || wanted <= memtable_bytes(*own)) return {};
  const std::int64_t allowed = memory_bytes() / 2;
  std::int64_t left = allowed;
  for (const auto& family : all_->all()) {
    if (family == family_) continue;
    const auto options = family->options().get(Freshness::kCached);
    if (options) left -= std::min(left, memtable_bytes(*options));
  }
  if (wanted <= left) return {};
  return "with write_buffer_size * max_write_buffer_number = " + std::to_string(wanted) +
         " here, the memtables of all column families could take more than " +
         std::to_string(allowed) + " bytes, half of the memory";
}

std::string FamilyGroup::write(const Assignments& changes) {
  const auto used = family_->use();
  if (!used) return "the column family's handle is gone";
  const auto status = db_->SetOptions(used.handle(), to_options<ColumnFamilyOptions>(changes));
  return status.ok() ? std::string() : status.ToString();
}

}  // namespace rocktune::agent
