// The format: what is written comes back, and whatever comes is taken or refused in words.
#include <gtest/gtest.h>

#include <random>

#include "events/copy/tar_reader.h"
#include "tests/unit/copy/copy_rig.h"

namespace berth::copy {
namespace {

struct Got {
  std::vector<TarEntry> entries;
  std::vector<std::string> bytes;  // of each
  bool ended = false;
  std::string problem;
};

Got read_all(const std::string& tar, std::size_t step = 1 << 20) {
  Got got;
  TarReader reader;
  for (std::size_t at = 0; at < tar.size(); at += step) {
    std::string_view input = std::string_view(tar).substr(at, step);
    while (auto item = reader.next(input)) {
      if (auto* const entry = std::get_if<TarEntry>(&*item)) {
        got.entries.push_back(*entry);
        got.bytes.emplace_back();
      } else if (auto* const part = std::get_if<FileBytes>(&*item)) {
        got.bytes.back() += part->bytes;
      }
    }
  }
  got.ended = reader.ended();
  if (reader.problem()) got.problem = reader.problem()->code;
  return got;
}

TarEntry read_one(const std::string& tar) {
  const Got got = read_all(whole(tar));
  EXPECT_EQ(got.problem, "");
  EXPECT_EQ(got.entries.size(), 1u);
  return got.entries.empty() ? TarEntry{} : got.entries.front();
}

TarEntry written(const TarEntry& entry) {
  std::string tar;
  append_header(tar, entry);
  // Its bytes are left out: the end would be taken for them.
  TarReader reader;
  std::string_view input = tar;
  const auto item = reader.next(input);
  EXPECT_TRUE(item && std::holds_alternative<TarEntry>(*item));
  return item ? std::get<TarEntry>(*item) : TarEntry{};
}

TEST(Tar, ComesBackAsItWasWrittenWhereverTheStreamIsCut) {
  const std::string long_name(300, 'n'), long_target(4000, 't');
  const std::string tar =
      whole(folder("d") + file("d/a", "short") + file("d/" + long_name, std::string(1500, 'x')) +
            file("d/empty", "") + link("d/l", long_target));
  for (const std::size_t step : {std::size_t{1}, std::size_t{511}, std::size_t{513}, tar.size()}) {
    const Got got = read_all(tar, step);
    ASSERT_EQ(got.entries.size(), 5u) << step;
    EXPECT_TRUE(got.ended);
    EXPECT_EQ(got.entries[0].kind, TarEntry::Kind::kFolder);
    EXPECT_EQ(got.entries[0].name, "d/");
    EXPECT_EQ(got.entries[1].size, 5u);
    EXPECT_EQ(got.bytes[1], "short");
    EXPECT_EQ(got.entries[2].name, "d/" + long_name);
    EXPECT_EQ(got.bytes[2], std::string(1500, 'x'));
    EXPECT_EQ(got.bytes[3], "");
    EXPECT_EQ(got.entries[4].target, long_target);
    EXPECT_EQ(got.entries[4].mode, 0755u);
  }
}

TEST(Tar, SizesAndTimesThatNoFieldHoldsComeBack) {
  TarEntry entry;
  entry.name = "a";
  for (const std::uint64_t size :
       {std::uint64_t{1} << 33, (std::uint64_t{1} << 33) - 1, std::uint64_t{1} << 50}) {
    entry.size = size;
    EXPECT_EQ(written(entry).size, size);
  }
  entry.size = 0;
  const FileTime times[] = {{0, 0},  {1'700'000'000, 123'456'789}, {1, 1}, {-1, 0}, {-1, 500'000'000},
                            {-7, 1}, {std::int64_t{1} << 40, 0}};
  for (const FileTime& time : times) {
    entry.changed_at = time;
    EXPECT_EQ(written(entry).changed_at.seconds, time.seconds);
    EXPECT_EQ(written(entry).changed_at.nanoseconds, time.nanoseconds);
  }
}

TEST(Tar, AnyBytesAreANameButZero) {
  for (const std::string name : {"gr\xc3\xbc\xc3\x9f"
                                 "e",
                                 "\xff\xfe", "a\nb", " 0 ", "x=y"})
    EXPECT_EQ(read_one(file(name)).name, name);
  EXPECT_EQ(read_one(file(std::string(99, 'a') + "\xff\xff\xff")).name.size(), 102u);
}

TEST(Tar, WhatOthersWriteIsRead) {
  std::string prefixed = file("name");
  prefixed.replace(345, 6, "prefix");
  sign(prefixed);
  EXPECT_EQ(read_one(prefixed).name, "prefix/name");

  std::string large = file("large", "");
  large.replace(124, 12, std::string("\x80\0\0\0\0\0\0\x02\0\0\0\0", 12));
  sign(large);
  TarReader reader;
  std::string_view input = large;
  EXPECT_EQ(std::get<TarEntry>(*reader.next(input)).size, std::uint64_t{2} << 32);

  std::string old = folder("old");
  old.replace(257, 8, std::string(8, '\0'));
  EXPECT_EQ(read_one(of_type('\0', old)).kind, TarEntry::Kind::kFolder);

  const std::string name(200, 'g');
  EXPECT_EQ(read_one(of_type('L', file("././@LongLink", name + std::string(1, '\0'))) + file("cut")).name,
            name);
  EXPECT_EQ(read_one(of_type('K', file("././@LongLink", name)) + link("l", "cut")).target, name);
  EXPECT_EQ(read_one(of_type('g', file("pax_global_header", "17 comment=hello\n")) + file("a")).name, "a");
  EXPECT_EQ(read_one(with_records("19 atime=1234567.5\n", file("a"))).name, "a");
}

TEST(Tar, WhatIsNoFileIsSaidToBeNone) {
  for (const char type : {'3', '4', '6', 'Z', 'V'})
    EXPECT_EQ(read_one(of_type(type, file("a", type >= '3' && type <= '6' ? "" : "bytes"))).kind,
              TarEntry::Kind::kOther);
  EXPECT_EQ(read_one(of_type('1', link("a", "b"))).kind, TarEntry::Kind::kHardLink);
  const Got got = read_all(whole(with_records("22 GNU.sparse.major=1\n", file("a", "map")) + file("b")));
  ASSERT_EQ(got.entries.size(), 2u);
  EXPECT_EQ(got.entries[0].kind, TarEntry::Kind::kOther);
  EXPECT_EQ(got.bytes[0], "") << "a map of holes is no file's content";
  EXPECT_EQ(got.entries[1].name, "b");
}

TEST(Tar, DamageIsFound) {
  const std::string good = whole(file("a", "bytes"));
  for (std::size_t at = 0; at < kBlock; ++at) {
    if (at == 155) continue;  // behind the end of the checksum
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x21);
    EXPECT_EQ(read_all(bad).problem, "tar-damaged") << at;
  }
  std::string size = file("a");
  size.replace(124, 11, "zzzzzzzzzzz");
  sign(size);
  EXPECT_EQ(read_all(size).problem, "tar-damaged");
  size.replace(124, 12, std::string(12, '\xff'));
  sign(size);
  EXPECT_EQ(read_all(size).problem, "tar-damaged");
  EXPECT_EQ(read_all(of_type('S', file("a"))).problem, "tar-damaged");
  EXPECT_EQ(read_all(std::string(kBlock, 'x')).problem, "tar-damaged");
}

TEST(Tar, DamagedRecordsAreFound) {
  for (const std::string records :
       {"x", "99 path=a\n", "10 path=a", "9 path=ab\n", "0 \n", "3 \n", "5 ab\n", "-9 path=a\n",
        " 9 path=a\n", "18446744073709551616 path=a\n", "13 size=12x4\n", "12 size=-12\n",
        "28 size=99999999999999999999\n", "12 mtime=x\n", "10 mtime=\n", "13 mtime=1.x\n",
        "30 mtime=-9223372036854775808\n"})
    EXPECT_EQ(read_all(whole(with_records(records, file("a")))).problem, "tar-damaged") << records;
}

TEST(Tar, ThousandsOfRecordsAreReadAndABombIsNot) {
  std::string records;
  for (int i = 0; i < 4000; ++i) records += "12 name=abc\n";
  records += "9 path=b\n";
  EXPECT_EQ(read_one(with_records(records, file("a"))).name, "b");
  std::string bomb = with_records("", file("a"));
  bomb.replace(124, 12, std::string("77777777777", 12));
  sign(bomb);
  EXPECT_EQ(read_all(bomb).problem, "tar-damaged");
  // Many small ones in a row.
  std::string row;
  for (int i = 0; i < 200; ++i) row += with_records("9 path=b\n", "");
  EXPECT_EQ(read_all(whole(row + file("a"))).problem, "tar-damaged");
}

TEST(Tar, WhateverComesEndsInWords) {
  std::mt19937 random(7);
  const std::string good = whole(folder("d") + file("d/" + std::string(150, 'n'), std::string(700, 'x')) +
                                 with_records("9 path=b\n", link("l", "a")));
  for (int round = 0; round < 20'000; ++round) {
    std::string bad = good;
    for (unsigned i = 0; i < 1 + random() % 4; ++i) bad[random() % bad.size()] = static_cast<char>(random());
    for (std::size_t at = 0; at + kBlock <= bad.size(); at += kBlock)
      if (bad.compare(at + 257, 5, "ustar") == 0) sign(bad, at);  // so that more than the checksum is tried
    const Got got = read_all(bad, 1 + random() % 1000);
    EXPECT_LE(got.entries.size(), 16u);
    for (const std::string& bytes : got.bytes) EXPECT_LE(bytes.size(), bad.size());
  }
}

TEST(EntryNames, OnlyThoseThatStayBelowAreTaken) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(parts_of("a/b"), (Parts{"a", "b"}));
  EXPECT_EQ(parts_of("./a//./b/"), (Parts{"a", "b"}));
  EXPECT_EQ(parts_of("./"), Parts{});
  EXPECT_EQ(parts_of("..a/b..").value().size(), 2u);
  for (const std::string bad : {"", "/", "/a", "..", "a/..", "a/../b", "../a", "a/../../b"})
    EXPECT_FALSE(parts_of(bad).has_value()) << bad;
  EXPECT_FALSE(parts_of(std::string("a\0b", 3)).has_value());
  EXPECT_TRUE(parts_of(std::string(kPartMax, 'x')).has_value());
  EXPECT_FALSE(parts_of(std::string(kPartMax + 1, 'x')).has_value());
  std::string deep = "a";
  for (std::size_t i = 1; i < kDepthMax; ++i) deep += "/a";
  EXPECT_TRUE(parts_of(deep).has_value());
  EXPECT_FALSE(parts_of(deep + "/a").has_value());
  std::string wide = std::string(kPartMax, 'x');
  while (wide.size() <= kEntryNameMax) wide += "/" + std::string(kPartMax, 'x');
  EXPECT_FALSE(parts_of(wide).has_value());
}

TEST(EntryNames, LinksLeadOutOnlyByGoingUp) {
  EXPECT_TRUE(stays_inside("a", 0));
  EXPECT_TRUE(stays_inside("./a/b/", 0));
  EXPECT_TRUE(stays_inside("../a", 1));
  EXPECT_TRUE(stays_inside(".././../a", 2));
  EXPECT_FALSE(stays_inside("../a", 0));
  EXPECT_FALSE(stays_inside("../../a", 1));
  EXPECT_FALSE(stays_inside("/a", 9));
  EXPECT_FALSE(stays_inside("", 9));
  EXPECT_FALSE(stays_inside(std::string("a\0", 2), 9));
  // `a` may be a link itself, so that ".." behind it leads anywhere.
  EXPECT_FALSE(stays_inside("a/../b", 9));
}

}  // namespace
}  // namespace berth::copy
