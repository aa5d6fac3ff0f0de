#include "prior/prior.h"

#include "files/replace_file.h"
#include "files/text_file.h"
#include "prior/builtin_text.h"

namespace rocktune {

Result<Prior> read_prior(const std::string& path, const std::string& remedy) {
  const auto text = read_text_file(path, kLargestPriorFile);
  if (!text) return tl::unexpected(text.error());
  return parse_prior(*text, path, remedy);
}

Result<void> write_prior(const std::string& path, const Prior& prior, Sync sync) {
  return replace_file(path, prior_text(prior), sync);
}

const Result<Prior>& builtin_prior() {
  static const Result<Prior> kPrior = parse_prior(builtin_prior_text(), "built-in etc/model.yaml");
  return kPrior;
}

Result<std::shared_ptr<const Learnt>> choose_prior(const std::string& choice) {
  if (choice == kNoPrior) return std::shared_ptr<const Learnt>();
  const Result<Prior> prior = choice == kBuiltinPrior ? builtin_prior() : read_prior(choice);
  if (!prior) return tl::unexpected(prior.error());
  return std::make_shared<const Learnt>(prior->learnt);
}

}  // namespace rocktune
