// Files into a kernel and out of it: what the helper's copies do, and what they do to the helper.
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/support/helper_process.h"
#include "tests/support/talk.h"

namespace berth::inside {
namespace {

namespace fs = std::filesystem;

// Its helper's HOME is the folder "home".
class HelperCopy : public ::testing::Test {
 protected:
  HelperCopy() {
    fs::create_directories(home());
    setenv("HOME", home().c_str(), 1);
    helper_.emplace();
    door_ = helper_->door;
  }
  fs::path home() const { return fs::path(folder_.path) / "home"; }
  static void write(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  static std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // The tar stream of it.
  std::string packed(const std::string& path) {
    Talk talk(door_, pack_of(path));
    EXPECT_EQ(talk.await_end(), 0) << talk.err;
    return talk.out;
  }
  // The processes of the helper's copies.
  std::vector<std::string> copies() const {
    const std::string pid = std::to_string(helper_->pid());
    std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
    return {std::istream_iterator<std::string>(children), {}};
  }
  // A file of a terabyte, which takes no room.
  std::string endless() const {
    const fs::path path = home() / "endless";
    write(path, "");
    EXPECT_EQ(truncate(path.c_str(), std::int64_t{1} << 40), 0);
    return path.string();
  }

  agents::TempFolder folder_;
  std::optional<HelperProcess> helper_;
  std::string door_;
};

TEST_F(HelperCopy, ATreeThatIsPackedIsUnpackedAsItWas) {
  fs::create_directories(home() / "tree/sub");
  write(home() / "tree/large", std::string(30'000'000, 'x') + "end");
  write(home() / "tree/sub/a", "content");
  fs::create_symlink("/no/such", home() / "tree/link");
  fs::create_directories(home() / "to");
  const std::string tar = packed("tree");
  Talk talk(door_, unpack_to("to"));
  talk.type(tar);
  talk.type_end();
  EXPECT_EQ(talk.await_end(), 0) << talk.err;
  EXPECT_TRUE(talk.begun.has_value());
  EXPECT_EQ(read(home() / "to/tree/large"), read(home() / "tree/large"));
  EXPECT_EQ(read(home() / "to/tree/sub/a"), "content");
  EXPECT_EQ(fs::read_symlink(home() / "to/tree/link"), "/no/such")
      << "a kernel's own links may lead anywhere";
  EXPECT_LT(helper_->memory(), 8 << 20);
}

TEST_F(HelperCopy, APathIsOfHomeOrAbsolute) {
  write(home() / "a", "content");
  EXPECT_EQ(packed("a"), packed((home() / "a").string()));
  EXPECT_EQ(packed("./../home/a"), packed("a"));
}

TEST_F(HelperCopy, WhatCannotBeDoneHasACode) {
  EXPECT_EQ(Talk(door_, pack_of("none")).await_problem(), "not-found");
  EXPECT_EQ(Talk(door_, pack_of("/dev/null")).await_problem(), "not-copyable");
  EXPECT_EQ(Talk(door_, pack_of("")).await_problem(), "path-wrong");
  EXPECT_EQ(Talk(door_, unpack_to("none/there")).await_problem(), "not-found");
  Talk damaged(door_, unpack_to("."));
  damaged.type(std::string(10'000, 'x'));
  EXPECT_EQ(damaged.await_problem(), "tar-damaged");
  Talk cut(door_, unpack_to("."));
  cut.type_end();
  EXPECT_EQ(cut.await_problem(), "tar-cut");
  Talk sized(door_, unpack_to("."));
  ASSERT_TRUE(sized.await_begun());
  sized.resize({});
  EXPECT_EQ(sized.await_problem(), "unknown-frame");
}

TEST_F(HelperCopy, WhatIsLeftOutIsToldOnStderrAndInTheCode) {
  fs::create_directories(home() / "tree");
  write(home() / "tree/a", "content");
  ASSERT_EQ(mkfifo((home() / "tree/fifo").c_str(), 0600), 0);
  Talk talk(door_, pack_of("tree"));
  EXPECT_EQ(talk.await_end(), 1);
  EXPECT_EQ(talk.err, "tree/fifo: it is neither a file nor a folder nor a link\n");
}

TEST_F(HelperCopy, ACopyThatNobodyReadsHoldsUpNothingElseAndEndsWithItsChannel) {
  {
    Talk talk(door_, pack_of(endless()));
    ASSERT_TRUE(talk.await_begun());
    EXPECT_EQ(copies().size(), 1u);
    Talk other(door_, exec({"echo", "meanwhile"}));
    EXPECT_EQ(other.await_end(), 0);
    EXPECT_LT(helper_->memory(), 8 << 20);
  }
  for (int i = 0; i < 4000 && !copies().empty(); ++i) usleep(5000);
  EXPECT_TRUE(copies().empty());
}

TEST_F(HelperCopy, ACopyHasNoDescriptorOfOthers) {
  Talk kept(door_, shell("main"));
  ASSERT_TRUE(kept.await_begun());
  Talk talk(door_, pack_of(endless()));
  ASSERT_TRUE(talk.await_begun());
  std::vector<std::string> open;
  for (const std::string& copy : copies()) {
    std::ifstream name("/proc/" + copy + "/comm");
    std::string word;
    name >> word;
    if (word != "berth-copy") continue;
    for (const auto& fd : fs::directory_iterator("/proc/" + copy + "/fd"))
      open.push_back(fs::read_symlink(fd.path()).string());
  }
  EXPECT_EQ(std::count_if(open.begin(), open.end(), [](const auto& to) { return to.find("socket:") == 0; }),
            1);
  for (const std::string& to : open) EXPECT_EQ(to.find("ptmx"), std::string::npos) << to;
  EXPECT_LE(open.size(), 5u) << "stdin, stdout, stderr, the channel, the file";
}

TEST_F(HelperCopy, AnUnpackWhoseChannelIsClosedLeavesNoHalfFile) {
  write(home() / "a", std::string(1 << 20, 'x'));
  const std::string tar = packed("a");
  fs::create_directories(home() / "to");
  {
    Talk talk(door_, unpack_to("to"));
    talk.type(tar.substr(0, tar.size() / 2));
    ASSERT_TRUE(talk.await([&] { return !fs::is_empty(home() / "to"); }));
  }
  for (int i = 0; i < 4000 && !copies().empty(); ++i) usleep(5000);
  EXPECT_TRUE(fs::is_empty(home() / "to"));
}

TEST_F(HelperCopy, ThereAreNoMoreCopiesThanPrograms) {
  const std::string path = endless();
  std::vector<std::unique_ptr<Talk>> open;
  for (int i = 0; i < 256; ++i) {
    open.push_back(std::make_unique<Talk>(door_, pack_of(path)));
    ASSERT_TRUE(open.back()->await_begun());
  }
  EXPECT_EQ(Talk(door_, pack_of(path)).await_problem(), "too-many-programs");
  EXPECT_EQ(Talk(door_, exec({"true"})).await_problem(), "too-many-programs");
}

}  // namespace
}  // namespace berth::inside
