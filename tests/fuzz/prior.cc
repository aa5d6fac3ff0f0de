// Model files as rocktuned and the tools read them: what is refused is refused with a place, and
// what is taken is sound and comes back from its own text as it was.
#include "prior/prior.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/finding.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rocktune;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto prior = parse_prior(text, "model");
  if (!prior) {
    if (!prior.error().message.starts_with("model:")) fuzz::finding("refused without a place");
    return 0;
  }
  if (!is_sound(prior->learnt)) fuzz::finding("taken, and not sound");
  const auto again = parse_prior(prior_text(*prior), "again");
  if (!again || !(*again == *prior)) fuzz::finding("its own text is another prior");
  return 0;
}
