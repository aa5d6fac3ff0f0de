// What is in a trace of operations.
#include "trace/op_trace_file.h"

#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

namespace rocktune::trace {
namespace {

using rocktune::tests::TempDirectory;

std::string op_record(char type, std::uint32_t payload_bytes) {
  std::string record(8, 't');
  record += type;
  for (int i = 0; i < 4; ++i) record += static_cast<char>(payload_bytes >> (8 * i));
  return record + std::string(payload_bytes, 'p');
}

OpTraceContents contents_of(const std::string& text) {
  const TempDirectory directory;
  const auto contents = read_op_trace(directory.write("ops.trace", text));
  REQUIRE(contents.has_value());
  return *contents;
}

TEST_CASE("operations of a trace are counted by kind, its begin and its end are none") {
  const auto contents = contents_of(op_record(1, 30) + op_record(3, 70'000) +
                                    op_record(3, 2'000'000) + op_record(4, 0) + op_record(5, 9) +
                                    op_record(6, 9) + op_record(13, 300) + op_record(2, 0));
  CHECK(contents.writes == 2);
  CHECK(contents.gets == 1);
  CHECK(contents.seeks == 2);
  CHECK(contents.multigets == 1);
  CHECK(contents.bytes == 8 * 13 + 30 + 70'000 + 2'000'000 + 9 + 9 + 300);
}

TEST_CASE("a record that is torn is in the bytes and in the checksum alone") {
  const std::string whole = op_record(3, 20);
  const auto one = contents_of(whole);
  for (const std::size_t torn : {1, 13, 32}) {
    const auto contents = contents_of(whole + whole.substr(0, torn));
    CHECK(contents.writes == 1);
    CHECK(contents.bytes == whole.size() + torn);
    CHECK(contents.crc32 != one.crc32);
  }
  CHECK(contents_of("").bytes == 0);
}

TEST_CASE("the checksum of a trace is the usual CRC32") {
  CHECK(contents_of("123456789").crc32 == 0xcbf43926);  // the check value of CRC-32/ISO-HDLC
  CHECK_FALSE(read_op_trace("/nowhere/ops.trace").has_value());
}

}  // namespace
}  // namespace rocktune::trace
