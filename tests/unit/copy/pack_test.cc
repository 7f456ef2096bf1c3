// Trees into a stream, of which Debian's tar is the judge.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/copy/copy_rig.h"

namespace berth::copy {
namespace {

using PackTest = CopyTest;

// What Debian's tar makes of it, in `out`.
bool debian_unpacks(const std::string& tar, const fs::path& out) {
  fs::create_directories(out);
  write(out.string() + ".tar", tar);
  return run("tar -C '" + out.string() + "' -xf '" + out.string() + ".tar'");
}

TEST_F(PackTest, DebiansTarUnpacksWhatWePacked) {
  const fs::path tree = root() / "tree";
  fs::create_directories(tree / "sub/empty");
  write(tree / "a", "content");
  write(tree / "none", "");
  write(tree / "sub" / std::string(255, 'n'), std::string(100'000, 'x'));
  write(tree /
            "gr\xc3\xbc\xc3\x9f"
            "e \xff\n",
        "odd");
  fs::create_symlink(std::string(200, 't'), tree / "link");
  chmod((tree / "a").c_str(), 04751);
  const timespec times[2] = {{1'600'000'000, 987'654'321}, {1'600'000'000, 987'654'321}};
  utimensat(AT_FDCWD, (tree / "a").c_str(), times, 0);
  const Packed packed = pack_all(tree);
  EXPECT_EQ(packed.code, "");
  EXPECT_TRUE(packed.notes.empty());
  ASSERT_TRUE(debian_unpacks(packed.bytes, root() / "out"));
  EXPECT_TRUE(
      run("diff -r --no-dereference '" + tree.string() + "' '" + (root() / "out/tree").string() + "'"));
  struct stat about;
  ASSERT_EQ(stat((root() / "out/tree/a").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0751u) << "no setuid bit leaves";
  EXPECT_EQ(about.st_mtim.tv_sec, 1'600'000'000);
  EXPECT_EQ(about.st_mtim.tv_nsec, 987'654'321);
  EXPECT_TRUE(fs::is_directory(root() / "out/tree/sub/empty"));
}

TEST_F(PackTest, AFileIsPackedUnderItsOwnName) {
  write(root() / "file", "one");
  fs::create_symlink("file", root() / "link");
  ASSERT_TRUE(debian_unpacks(pack_all(root() / "link").bytes, root() / "out"));
  EXPECT_EQ(read(root() / "out/link"), "one") << "the link that is named itself is followed";
  EXPECT_FALSE(fs::is_symlink(root() / "out/link"));
}

TEST_F(PackTest, AFileThatSaysThatItHasNoBytesIsPackedWithThoseItHas) {
  const Packed packed = pack_all("/proc/self/status");
  EXPECT_EQ(packed.code, "");
  EXPECT_TRUE(packed.notes.empty());
  ASSERT_TRUE(debian_unpacks(packed.bytes, root() / "out"));
  EXPECT_TRUE(run("grep -q '^VmSize:' '" + (root() / "out/status").string() + "'"));
}

TEST_F(PackTest, ThePartOfAPathThatNamesWhatIsCopied) {
  EXPECT_EQ(top_of("/a/b"), "b");
  EXPECT_EQ(top_of("b//"), "b");
  for (const char* none : {"/", ".", "..", "a/.", "a/..", "", "//"}) EXPECT_EQ(top_of(none), ".") << none;
}

TEST_F(PackTest, WhatIsNoFileIsToldAndWaitedForByNobody) {
  const fs::path tree = root() / "tree";
  fs::create_directories(tree);
  write(tree / "a");
  ASSERT_EQ(mkfifo((tree / "fifo").c_str(), 0600), 0);
  const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  (tree / "socket").string().copy(name.sun_path, sizeof name.sun_path - 1);
  ASSERT_EQ(bind(listening, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  close(listening);
  const bool has_device = mknod((tree / "device").c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0;  // as root
  const Packed packed = pack_all(tree);
  EXPECT_EQ(packed.code, "");
  EXPECT_EQ(packed.notes.size(), has_device ? 3u : 2u);
  for (const std::string& note : packed.notes)
    EXPECT_NE(note.find("neither a file nor a folder nor a link"), std::string::npos) << note;
  ASSERT_TRUE(debian_unpacks(packed.bytes, root() / "out"));
  EXPECT_EQ(read(root() / "out/tree/a"), "bytes");
  EXPECT_EQ(pack_all(tree / "fifo").code, "not-copyable");
  EXPECT_EQ(pack_all(tree / "none").code, "not-found");
  EXPECT_EQ(pack_all("/dev/zero").code, "not-copyable");
}

TEST_F(PackTest, ALinkIsPackedAsALinkWhereverItLeads) {
  fs::create_directories(root() / "secret");
  write(root() / "secret/key");
  fs::create_directories(root() / "tree");
  fs::create_symlink("../secret", root() / "tree/out");
  fs::create_symlink("/no/such", root() / "tree/nowhere");
  fs::create_symlink(".", root() / "tree/round");
  const Packed packed = pack_all(root() / "tree");
  EXPECT_EQ(packed.bytes.find("key"), std::string::npos);
  ASSERT_TRUE(debian_unpacks(packed.bytes, root() / "out"));
  EXPECT_EQ(fs::read_symlink(root() / "out/tree/out"), "../secret");
  EXPECT_EQ(fs::read_symlink(root() / "out/tree/nowhere"), "/no/such");
}

TEST_F(PackTest, HardLinksAreFilesOfTheirOwn) {
  fs::create_directories(root() / "tree");
  write(root() / "tree/a");
  fs::create_hard_link(root() / "tree/a", root() / "tree/b");
  ASSERT_TRUE(debian_unpacks(pack_all(root() / "tree").bytes, root() / "out"));
  EXPECT_EQ(read(root() / "out/tree/a") + read(root() / "out/tree/b"), "bytesbytes");
}

TEST_F(PackTest, AFileThatBecomesShorterIsFilledUpAndTold) {
  fs::create_directories(root() / "tree");
  write(root() / "tree/a", std::string(1 << 20, 'x'));
  int truncated = -1;
  std::string bytes;
  std::vector<std::string> lines;
  Notes notes([&](const std::string& line) { lines.push_back(line); });
  const Sink sink = [&](std::string_view piece) {
    if (bytes.empty()) truncated = truncate((root() / "tree/a").c_str(), 200'000);
    bytes += piece;
    return true;
  };
  EXPECT_FALSE(pack((root() / "tree").string(), sink, notes).has_value());
  EXPECT_EQ(truncated, 0);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("tree/a: it has become shorter"), std::string::npos) << lines[0];
  ASSERT_TRUE(debian_unpacks(bytes, root() / "out"));
  EXPECT_EQ(fs::file_size(root() / "out/tree/a"), 1u << 20);
  EXPECT_EQ(read(root() / "out/tree/a"), std::string(200'000, 'x') + std::string((1 << 20) - 200'000, '\0'));
}

// It is packed as the zeros that it reads as, and ends when nobody takes them.
TEST_F(PackTest, ASparseFileOfATerabyteStopsWithItsReader) {
  fs::create_directories(root() / "tree");
  write(root() / "tree/a", "");
  ASSERT_EQ(truncate((root() / "tree/a").c_str(), std::int64_t{1} << 40), 0);
  const Packed packed = pack_all(root() / "tree", 4 << 20);
  EXPECT_EQ(packed.code, "copy-stopped");
  EXPECT_LE(packed.bytes.size(), (4u << 20) + kPieceMax);
}

TEST_F(PackTest, WhatCannotBeReadIsToldAndTheRestIsPacked) {
  const fs::path tree = root() / "tree";
  fs::create_directories(tree / "closed");
  write(tree / "secret");
  write(tree / "a");
  fs::permissions(tree / "secret", fs::perms::none);
  fs::permissions(tree / "closed", fs::perms::none);
  fs::permissions(root(), fs::perms::all);
  if (geteuid() == 0) { ASSERT_EQ(seteuid(65534), 0); }
  const Packed packed = pack_all(tree);
  const Packed secret = pack_all(tree / "secret");
  if (getuid() == 0) { ASSERT_EQ(seteuid(0), 0); }
  EXPECT_EQ(packed.code, "");
  ASSERT_EQ(packed.notes.size(), 2u);
  for (const std::string& note : packed.notes)
    EXPECT_NE(note.find("Permission denied"), std::string::npos) << note;
  EXPECT_EQ(secret.code, "denied");
  ASSERT_TRUE(debian_unpacks(packed.bytes, root() / "out"));
  EXPECT_EQ(read(root() / "out/tree/a"), "bytes");
}

TEST_F(PackTest, ADeepTreeIsPackedToItsBound) {
  const auto deep = [this](int depth) {
    fs::path path = root() / "tree";
    while (depth-- > 0) path /= "d";
    fs::create_directories(path);
    return path;
  };
  write(deep(300) / "f");
  const Packed packed = pack_all(root() / "tree");
  EXPECT_EQ(packed.code, "");
  EXPECT_TRUE(packed.notes.empty());
  const Unpacked unpacked = unpack_all(packed.bytes, {.path = (root() / "again").string()});
  EXPECT_EQ(unpacked.code, "");
  EXPECT_TRUE(run("diff -r '" + (root() / "tree").string() + "' '" + (root() / "again").string() + "'"));
  deep(700);
  const Packed deeper = pack_all(root() / "tree");
  EXPECT_EQ(deeper.code, "");
  ASSERT_EQ(deeper.notes.size(), 1u);
  EXPECT_NE(deeper.notes[0].find("too deep"), std::string::npos);
}

TEST_F(PackTest, NotesAreBounded) {
  fs::create_directories(root() / "tree");
  for (int i = 0; i < 250; ++i) ASSERT_EQ(mkfifo((root() / "tree" / std::to_string(i)).c_str(), 0600), 0);
  const Packed packed = pack_all(root() / "tree");
  ASSERT_EQ(packed.notes.size(), Notes::kNotesMax + 1);
  EXPECT_EQ(packed.notes.back(), "and 150 more");
}

}  // namespace
}  // namespace berth::copy
