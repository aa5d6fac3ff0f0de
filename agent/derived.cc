#include "agent/derived.h"

#include <initializer_list>

namespace rocktune::agent {
namespace {

using Tickers = std::map<std::string, std::uint64_t>;
using Inputs = std::map<std::string, double>;

struct Formula {
  const char* name;
  const char* text;
  std::initializer_list<const char*> inputs;
  double (*numerator)(const Inputs&);
  double (*divisor)(const Inputs&);
};

// The first three as the course project on column families and compaction styles measured them
// (RocksDB 10.2). The size of a value is no ticker: the mean of what was written stands for it.
const Formula kFormulas[] = {
    {"write_amplification",
     "(flush.write.bytes + compact.write.bytes) / bytes.written",
     {"flush.write.bytes", "compact.write.bytes", "bytes.written"},
     [](const Inputs& in) { return in.at("flush.write.bytes") + in.at("compact.write.bytes"); },
     [](const Inputs& in) { return in.at("bytes.written"); }},
    {"read_amplification",
     "number.keys.read * value_size / bytes.read, with value_size = bytes.written / "
     "number.keys.written; its inverse is the bytes that Get returned for each useful byte",
     {"number.keys.read", "bytes.written", "number.keys.written", "bytes.read"},
     [](const Inputs& in) { return in.at("number.keys.read") * in.at("bytes.written"); },
     [](const Inputs& in) { return in.at("number.keys.written") * in.at("bytes.read"); }},
    {"block_cache_hit_ratio",
     "block.cache.hit / (block.cache.hit + block.cache.miss)",
     {"block.cache.hit", "block.cache.miss"},
     [](const Inputs& in) { return in.at("block.cache.hit"); },
     [](const Inputs& in) { return in.at("block.cache.hit") + in.at("block.cache.miss"); }},
    {"file_bytes_read_per_byte_returned",
     "(last.level.read.bytes + non.last.level.read.bytes - compact.read.bytes) / (bytes.read + "
     "number.multiget.bytes.read + db.iter.bytes.read)",
     {"last.level.read.bytes", "non.last.level.read.bytes", "compact.read.bytes", "bytes.read",
      "number.multiget.bytes.read", "db.iter.bytes.read"},
     [](const Inputs& in) {
       const double read = in.at("last.level.read.bytes") + in.at("non.last.level.read.bytes");
       return read > in.at("compact.read.bytes") ? read - in.at("compact.read.bytes") : 0;
     },
     [](const Inputs& in) {
       return in.at("bytes.read") + in.at("number.multiget.bytes.read") +
              in.at("db.iter.bytes.read");
     }}};

wire::Derived derive(const Formula& formula, const Tickers& tickers) {
  wire::Derived derived;
  derived.name = formula.name;
  derived.formula = formula.text;
  Inputs inputs;
  for (const char* const name : formula.inputs) {
    const auto it = tickers.find(name);
    if (it == tickers.end()) {
      derived.reason += (derived.reason.empty() ? "not counted: " : ", ") + std::string(name);
      continue;
    }
    derived.inputs[name] = it->second;
    inputs[name] = static_cast<double>(it->second);
  }
  if (!derived.reason.empty()) return derived;
  const double divisor = formula.divisor(inputs);
  if (divisor > 0) {
    derived.value = formula.numerator(inputs) / divisor;
  } else {
    derived.reason = "the divisor is 0: nothing of the kind has happened since the open";
  }
  return derived;
}

}  // namespace

std::vector<wire::Derived> derive(const Tickers& tickers) {
  std::vector<wire::Derived> all;
  for (const auto& formula : kFormulas) all.push_back(derive(formula, tickers));
  return all;
}

}  // namespace rocktune::agent
