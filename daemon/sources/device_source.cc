#include "daemon/sources/device_source.h"

#include "files/text_file.h"
#include "files/words.h"

namespace rocktune::daemon {

Result<DeviceReading> parse_device_stat(std::string_view text) {
  const std::vector<std::string_view> words = split_words(text);
  DeviceReading reading;
  std::size_t field = 0;
  std::string problem;
  // visit_fields() visits the counters in the order of the file's fields.
  DeviceReading::visit_fields(reading, [&](const char* name, Counter& counter) {
    if (!problem.empty()) return;
    if (field >= words.size()) {
      problem = "has " + std::to_string(words.size()) + " fields, at least 11 are needed";
      return;
    }
    counter = parse_unsigned(words[field]);
    if (!counter) {
      problem = "field " + std::to_string(field + 1) + " (" + name + ") is no number: '" +
                std::string(words[field]) + "'";
    }
    ++field;
  });
  if (!problem.empty()) return fail(ErrorCode::kCorrupt, problem);
  return reading;
}

Result<DeviceReading> DeviceSource::read() const {
  const Result<std::string> text = read_text_file(device_.stat_file);
  if (!text) return tl::unexpected<Error>(text.error());
  Result<DeviceReading> reading = parse_device_stat(*text);
  if (!reading) return tl::unexpected<Error>(reading.error().within(device_.stat_file));
  reading->name = device_.name;
  return reading;
}

}  // namespace rocktune::daemon
