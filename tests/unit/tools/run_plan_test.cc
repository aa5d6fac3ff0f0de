#include "tools/run_plan.h"

#include <unistd.h>

#include <algorithm>
#include <random>

#include "support.h"
#include "tools/elf.h"

using namespace rocktune;
using namespace rocktune::tools;
using rocktune::tools::test::contains;
using rocktune::tools::test::TempDirectory;
namespace fs = std::filesystem;

namespace {

std::string program(const TempDirectory& directory, const std::string& name, bool executable) {
  const std::string path = directory.write(name, "#!/bin/sh\n");
  fs::permissions(path, executable ? fs::perms(0755) : fs::perms(0644));
  return path;
}

std::string own_path() {
  return fs::read_symlink("/proc/self/exe").string();
}

}  // namespace

TEST_CASE("a command is found as execvp finds it", "[tools]") {
  const TempDirectory first, second;
  (void)program(first, "tool", false);
  const std::string tool = program(second, "tool", true);
  const std::string path = first.path().string() + ":" + second.path().string();
  CHECK(find_command("tool", path) == tool);
  CHECK(find_command(tool, "") == tool);
  CHECK(find_command("tool", first.path().string()).error().code == ErrorCode::kPermission);
  CHECK(find_command("none", path).error().code == ErrorCode::kNotFound);
  CHECK(find_command("", path).error().code == ErrorCode::kNotFound);
  CHECK(find_command(first.file("tool"), path).error().code == ErrorCode::kPermission);
  CHECK(find_command(first.path().string(), path).error().code ==
        ErrorCode::kNotFound);  // a directory
}

TEST_CASE("the library is looked for beside the program, then where it is installed", "[tools]") {
  const TempDirectory directory;
  fs::create_directories(directory.file("bin"));
  fs::create_directories(directory.file("lib/x86_64-linux-gnu"));
  const auto none = find_preload(directory.file("bin"), directory.file("else"));
  REQUIRE_FALSE(none);
  CHECK(contains(none.error().message, directory.file("else")));
  CHECK(contains(none.error().message, "`./dev build installed`"));
  const std::string multiarch = directory.write("lib/x86_64-linux-gnu/librocktune_preload.so", "x");
  CHECK(find_preload(directory.file("bin"), "/none") == multiarch);
  const std::string beside = directory.write("lib/librocktune_preload.so", "x");
  CHECK(find_preload(directory.file("bin"), "/none") == beside);
  fs::create_directories(directory.file("else"));
  const std::string installed = directory.write("else/librocktune_preload.so", "x");
  CHECK(find_preload("/nowhere/bin", directory.file("else")) == installed);
}

TEST_CASE("the agents' directory follows the environment", "[tools]") {
  CHECK(default_agent_directory(true, nullptr, "/run/user/0") == "/run/rocktune");
  CHECK(default_agent_directory(false, nullptr, "/run/user/7") == "/run/user/7/rocktune");
  CHECK(default_agent_directory(false, "", "") == "/run/rocktune");
  CHECK(default_agent_directory(true, "/x", "/y") == "/x");
}

TEST_CASE("the agents' directory is made, or says why not", "[tools]") {
  const TempDirectory directory;
  const std::string deep = directory.file("a/b");
  CHECK(prepare_agent_directory(deep) == deep);
  CHECK(fs::is_directory(deep));
  CHECK(prepare_agent_directory(deep) == deep);
  const std::string file = directory.write("file", "");
  for (const std::string& bad :
       {std::string(), file, file + "/below", "/" + std::string(90, 'x')}) {
    const auto refused = prepare_agent_directory(bad);
    REQUIRE_FALSE(refused);
    CHECK(contains(refused.error().message, "--agent-dir"));
  }
  CHECK_FALSE(fs::exists("/" + std::string(90, 'x')));
  if (::geteuid() == 0) {
    WARN("skipped: root may write everywhere");
    return;
  }
  fs::permissions(directory.file("a"), fs::perms(0500));
  CHECK(prepare_agent_directory(directory.file("a")).error().code == ErrorCode::kPermission);
  fs::permissions(directory.file("a"), fs::perms(0700));
}

TEST_CASE("the library goes in front of what is preloaded already", "[tools]") {
  CHECK(preload_variable("/l/a.so", nullptr) == "/l/a.so");
  CHECK(preload_variable("/l/a.so", "") == "/l/a.so");
  CHECK(preload_variable("/l/a.so", "/other.so") == "/l/a.so:/other.so");
  CHECK_FALSE(preload_variable("/l x/a.so", nullptr));
}

TEST_CASE("an executable's libraries are read from its ELF", "[tools]") {
  const auto self = read_elf(own_path());
  REQUIRE(self);
  CHECK(self->dynamic);
  CHECK(std::any_of(self->needed.begin(), self->needed.end(),
                    [](const std::string& name) { return name.starts_with("libc.so"); }));
  CHECK(linked_to_rocksdb(own_path(), *self) == std::optional(false));
  CHECK_FALSE(contains_rocksdb(own_path()));
  CHECK_FALSE(preload_warning(own_path()));
}

TEST_CASE("scripts and broken files are not warned about", "[tools]") {
  const TempDirectory directory;
  CHECK_FALSE(preload_warning(program(directory, "script", true)));
  CHECK_FALSE(preload_warning(directory.file("none")));
  std::ifstream in(own_path(), std::ios::binary);
  std::string content(3000, '\0');
  in.read(content.data(), static_cast<std::streamsize>(content.size()));
  for (std::size_t size = 0; size < content.size(); size += 7) {
    (void)preload_warning(directory.write("cut", content.substr(0, size)));
  }
  std::minstd_rand random(3);
  for (int round = 0; round < 300; ++round) {
    std::string damaged = content;
    for (int i = 0; i < 40; ++i) damaged[16 + random() % 1000] = static_cast<char>(random());
    (void)preload_warning(directory.write("damaged", damaged));
  }
}

TEST_CASE("a static executable is warned about", "[tools]") {
  const TempDirectory directory;
  // The smallest ELF header that says: 64 bits, little-endian, no program headers.
  std::string header(64, '\0');
  header.replace(0, 6,
                 "\x7f"
                 "ELF\x02\x01",
                 6);
  header[54] = 56;  // e_phentsize
  const auto warning = preload_warning(directory.write("static", header));
  REQUIRE(warning);
  CHECK(contains(*warning, "statically linked"));
}
