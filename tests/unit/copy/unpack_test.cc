// Streams into trees: what Debian's tar packs, and what nobody should.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tests/unit/copy/copy_rig.h"

namespace berth::copy {
namespace {

class UnpackTest : public CopyTest {
 protected:
  UnpackTest() : umask_(umask(022)) {
    fs::create_directories(in());
    write(root() / "outside", "untouched");
  }
  ~UnpackTest() override { umask(umask_); }

  fs::path in() const { return root() / "in"; }
  Unpacked unpack(const std::string& tar, std::size_t step = 64 << 10) {
    return unpack_all(tar, {.path = in().string()}, step);
  }
  // As the CLI does it.
  Unpacked unpack_as(const std::string& top, const std::string& tar) {
    return unpack_all(tar, {.path = in().string(), .top = top});
  }
  // Nothing but this lies in the folder, and nothing was done outside.
  void expect_only(std::vector<std::string> names) {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(in()))
      found.push_back(entry.path().lexically_relative(in()).string());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, names);
    EXPECT_EQ(read(root() / "outside"), "untouched");
  }
  const mode_t umask_;
};

TEST_F(UnpackTest, WhatDebiansTarPacksComesBack) {
  const fs::path tree = root() / "tree";
  fs::create_directories(tree / "sub/read-only");
  write(tree / "sub/read-only/a", "content");
  write(tree / "sub" / std::string(255, 'n'), std::string(100'000, 'x'));
  write(tree /
            "gr\xc3\xbc\xc3\x9f"
            "e \xff\n",
        "odd");
  fs::create_symlink(std::string(200, 't'), tree / "link");
  fs::permissions(tree / "sub/read-only", fs::perms(0555));
  for (const char* format : {"gnu", "ustar", "posix"}) {
    // ustar has no room for such names.
    const std::string without = format == std::string("ustar") ? " --exclude 'nnnn*' --exclude link" : "";
    const std::string tar = (root() / "tar").string();
    ASSERT_TRUE(
        run("tar -C '" + root().string() + "' --format " + format + without + " -cf '" + tar + "' tree"));
    for (const std::size_t step : {std::size_t{333}, std::size_t{1} << 20}) {
      const Unpacked unpacked = unpack(read(tar), step);
      EXPECT_EQ(unpacked.code, "") << format;
      EXPECT_TRUE(unpacked.notes.empty()) << unpacked.notes[0];
      EXPECT_TRUE(run("diff -r --no-dereference" + without + " '" + tree.string() + "' '" +
                      (in() / "tree").string() + "'"))
          << format;
      struct stat about;
      ASSERT_EQ(stat((in() / "tree/sub/read-only").c_str(), &about), 0);
      EXPECT_EQ(about.st_mode & 07777, 0555u);
      ASSERT_TRUE(run("chmod -R u+w '" + in().string() + "' && rm -r '" + (in() / "tree").string() + "'"));
    }
  }
  ASSERT_TRUE(run("chmod -R u+w '" + tree.string() + "'"));
}

TEST_F(UnpackTest, TimesAndPermissionsComeButTheUmaskAndNoSetuid) {
  std::string tar =
      entry(TarEntry::Kind::kFolder, "d/", "", 0777) + entry(TarEntry::Kind::kFile, "d/a", "x", 0777);
  ASSERT_EQ(unpack(whole(tar)).code, "");
  std::string with_setuid = entry(TarEntry::Kind::kFile, "b", "x", 0755);
  with_setuid.replace(100, 7, "0004755");
  sign(with_setuid);
  ASSERT_EQ(unpack(whole(with_setuid)).code, "");
  struct stat about;
  for (const char* name : {"d", "d/a", "b"}) {
    ASSERT_EQ(stat((in() / name).c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 07777, 0755u) << name;
    EXPECT_EQ(about.st_mtim.tv_sec, 1'000'000'000) << name;
  }
}

TEST_F(UnpackTest, AFolderThatIsThereIsMergedAndItsFilesReplaced) {
  fs::create_directories(in() / "d");
  write(in() / "d/old", "old");
  write(in() / "d/both", "old and longer");
  const ino_t before = [&] {
    struct stat about;
    stat((in() / "d/both").c_str(), &about);
    return about.st_ino;
  }();
  EXPECT_EQ(unpack(whole(folder("d") + file("d/both", "new") + file("d/new", ""))).code, "");
  expect_only({"d", "d/both", "d/new", "d/old"});
  EXPECT_EQ(read(in() / "d/both"), "new");
  struct stat about;
  stat((in() / "d/both").c_str(), &about);
  EXPECT_NE(about.st_ino, before) << "written aside and renamed into place";
}

TEST_F(UnpackTest, AFolderThatIsNotThereIsTheNewNameOfWhatComes) {
  const auto to = [&](const std::string& path) { return UnpackTo{.path = path}; };
  EXPECT_EQ(unpack_all(whole(file("a")), to((in() / "b").string())).code, "");
  EXPECT_EQ(unpack_all(whole(folder("a") + file("a/x")), to((in() / "c/").string())).code, "");
  EXPECT_EQ(unpack_all(whole(folder(".") + file("./x")), to((in() / "e").string())).code, "");
  EXPECT_EQ(unpack_all(whole(file("a")), to((in() / "b").string())).code, "") << "a file in its place";
  expect_only({"b", "c", "c/x", "e", "e/x"});
  EXPECT_EQ(unpack_all(whole(file("a")), to((in() / "f/").string())).code, "not-found");
  EXPECT_EQ(unpack_all(whole(file("a")), to((in() / "b/").string())).code, "not-a-folder");
  EXPECT_EQ(unpack_all(whole(folder("a")), to((in() / "b").string())).code, "not-a-folder");
  EXPECT_EQ(unpack_all(whole(file("a")), to((in() / "none/b").string())).code, "not-found");
  EXPECT_EQ(unpack_all(whole(file("a")), to((in() / "b/c").string())).code, "not-a-folder");
  EXPECT_EQ(unpack_all(whole(file("a") + file("b")), to((in() / "g").string())).code, "several-at-top");
  EXPECT_EQ(unpack_all(whole(file("a") + folder("./")), to((in() / "h").string())).code, "several-at-top");
}

TEST_F(UnpackTest, WhatComesGetsTheNameThatWasAskedWhateverItSays) {
  EXPECT_EQ(unpack_as("data", whole(folder(".ssh") + file(".ssh/authorized_keys"))).code, "");
  expect_only({"data", "data/authorized_keys"});
  EXPECT_EQ(unpack_as("data", whole(file("data/x") + file(".bashrc"))).code, "several-at-top");
  EXPECT_EQ(unpack_as("data", whole(folder(".") + file("./y"))).code, "")
      << "a folder's content lies in it too";
  expect_only({"data", "data/authorized_keys", "data/x", "data/y"});
}

TEST_F(UnpackTest, NoNameLeadsOut) {
  const std::string above = (root() / "outside").string();
  for (const std::string& name :
       {std::string("../outside"), above, std::string("a/../../outside"), std::string(".."),
        std::string("a/.."), std::string(5000, 'x'), std::string(256, 'y')}) {
    const Unpacked unpacked = unpack(whole(file(name) + file("good")));
    EXPECT_EQ(unpacked.code, "");
    EXPECT_EQ(unpacked.notes.size(), 1u) << name;
    expect_only({"good"});
  }
  const Unpacked in_name =
      unpack(whole(with_records(std::string("12 path=a\0b\n", 12), file("x")) + file("good")));
  EXPECT_EQ(in_name.notes.size(), 1u);
  expect_only({"good"});
}

TEST_F(UnpackTest, NoLinkLeadsOutAndNoneIsFollowed) {
  for (const std::string& target :
       {(root() / "outside").string(), std::string(".."), std::string("../../outside"),
        std::string("x/../../outside"), std::string("/etc/passwd")}) {
    const Unpacked unpacked = unpack_as("d", whole(folder("d") + link("d/l", target)));
    EXPECT_EQ(unpacked.notes.size(), 1u) << target;
    expect_only({"d"});
  }
  EXPECT_EQ(unpack_as("l", whole(link("l", "d"))).notes.size(), 1u)
      << "all of it would be a link to somewhere";
  // Links that stay inside come, and what then comes through one does not.
  const Unpacked through = unpack_as("d", whole(folder("d") + folder("d/e") + link("d/e/up", "../f") +
                                                link("d/l", "e") + file("d/l/x") + folder("d/l")));
  EXPECT_EQ(through.code, "");
  EXPECT_EQ(through.notes.size(), 2u);
  expect_only({"d", "d/e", "d/e/up", "d/l"});
}

TEST_F(UnpackTest, LinksThatLieThereAreReplacedOrStandInTheWay) {
  fs::create_symlink("../outside", in() / "a");
  fs::create_symlink("..", in() / "d");
  const Unpacked unpacked = unpack_all(whole(file("a", "new") + file("d/outside") + folder("d")),
                                       {.path = in().string(), .links_out = true});
  EXPECT_EQ(unpacked.code, "");
  EXPECT_EQ(unpacked.notes.size(), 2u);
  expect_only({"a", "d"});
  EXPECT_FALSE(fs::is_symlink(in() / "a"));
  EXPECT_EQ(read(in() / "a"), "new");
  // A link that comes is never written through either, where such links may come.
  const Unpacked planted = unpack_all(whole(link("out", (root() / "outside").string()) + file("out", "mine")),
                                      {.path = in().string(), .links_out = true});
  EXPECT_EQ(planted.code, "");
  EXPECT_EQ(read(in() / "out"), "mine");
  EXPECT_EQ(read(root() / "outside"), "untouched");
}

TEST_F(UnpackTest, WhatIsNoFileIsLeftOutAndTold) {
  std::string hard = of_type('1', link("hard", (root() / "outside").string()));
  const Unpacked unpacked =
      unpack(whole(hard + of_type('3', file("device", "")) + of_type('6', file("fifo", "")) +
                   with_records("22 GNU.sparse.major=1\n", file("sparse", "map")) + file("good")));
  EXPECT_EQ(unpacked.code, "");
  ASSERT_EQ(unpacked.notes.size(), 4u);
  EXPECT_NE(unpacked.notes[0].find("--hard-dereference"), std::string::npos);
  expect_only({"good"});
}

TEST_F(UnpackTest, AFolderIsNeverReplacedByAFileAndTheRestComes) {
  fs::create_directories(in() / "d");
  write(in() / "f", "old");
  const Unpacked unpacked =
      unpack(whole(file("d") + file("f/x") + folder("f") + link("d", "f") + file("good")));
  EXPECT_EQ(unpacked.code, "");
  EXPECT_EQ(unpacked.notes.size(), 4u);
  expect_only({"d", "f", "good"});
}

TEST_F(UnpackTest, AStreamThatStopsLeavesNoHalfFile) {
  const std::string tar = whole(folder("d") + file("d/a") + file("d/b", std::string(3000, 'x')));
  for (std::size_t cut = 0; cut < tar.size() - 2 * kBlock; cut += cut % kBlock < 3 ? 1 : 127) {
    const Unpacked unpacked = unpack(tar.substr(0, cut));
    EXPECT_EQ(unpacked.code, "tar-cut") << cut;
    if (fs::exists(in() / "d/a")) { EXPECT_EQ(read(in() / "d/a"), "bytes"); }
    if (fs::exists(in() / "d/b")) { EXPECT_EQ(fs::file_size(in() / "d/b"), 3000u); }
    for (const auto& entry : fs::recursive_directory_iterator(in()))
      EXPECT_EQ(entry.path().string().find(".berth-copy"), std::string::npos);
    fs::remove_all(in() / "d");
  }
  EXPECT_EQ(unpack(tar.substr(0, tar.size() - kBlock)).code, "") << "one block of zeros is an end";
  EXPECT_EQ(unpack(tar + std::string(10'000, 'x')).code, "") << "what stands behind the end is nothing";
}

TEST_F(UnpackTest, ADamagedStreamStops) {
  std::string tar = whole(file("a") + file("b"));
  tar[2 * kBlock + 10] = 'x';
  EXPECT_EQ(unpack(tar).code, "tar-damaged");
  expect_only({"a"});
}

TEST_F(UnpackTest, AFullDiskIsSaidAndLeavesNoHalfFile) {
  if (mount("none", in().c_str(), "tmpfs", 0, "size=1m") != 0)
    GTEST_SKIP() << "no right to mount a small disk";
  const Unpacked unpacked = unpack(whole(file("a") + file("large", std::string(4 << 20, 'x')) + file("b")));
  const Unpacked again = unpack(whole(file("b")));
  expect_only({"a", "b"});
  umount(in().c_str());
  EXPECT_EQ(unpacked.code, "disk-full");
  EXPECT_EQ(again.code, "");
}

TEST_F(UnpackTest, WhereNobodyMayWriteIsSaid) {
  fs::permissions(root(), fs::perms::all);
  fs::permissions(in(), fs::perms(0555));
  if (geteuid() == 0) { ASSERT_EQ(seteuid(65534), 0); }
  const Unpacked unpacked = unpack(whole(file("a")));
  if (getuid() == 0) { ASSERT_EQ(seteuid(0), 0); }
  EXPECT_EQ(unpacked.code, "");
  ASSERT_EQ(unpacked.notes.size(), 1u);
  EXPECT_EQ(unpacked.notes[0], "a: Permission denied");
}

TEST_F(UnpackTest, WhateverComesStaysInside) {
  // All pairs of these, in an empty folder and in one that is there.
  const std::vector<std::string> pieces = {folder("d"),
                                           folder("d/e"),
                                           file("d/a"),
                                           file("d/e/a"),
                                           link("d/e", ".."),
                                           link("d/a", "e"),
                                           link("d/e/a", "../e"),
                                           link("d", ".."),
                                           link("d/e", "../../outside"),
                                           file("d"),
                                           of_type('1', link("d/a", "../outside")),
                                           file("d/../../outside")};
  for (const std::string& first : {std::string(), folder("d")})
    for (const std::string& one : pieces)
      for (const std::string& two : pieces) {
        const Unpacked unpacked = unpack_as("d", whole(first + one + two));
        EXPECT_TRUE(unpacked.code.empty() || unpacked.code == "not-a-folder") << unpacked.code;
        ASSERT_EQ(read(root() / "outside"), "untouched");
        for (const auto& entry : fs::directory_iterator(root()))
          ASSERT_TRUE(entry.path() == in() || entry.path() == root() / "outside") << entry.path();
        fs::remove_all(in() / "d");
        ASSERT_TRUE(fs::is_empty(in()));
      }
}

}  // namespace
}  // namespace berth::copy
