#include "events/codec/file_service.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

FileServicePath question(FileOperation operation) {
  FileServicePath what;
  what.volume.bytes.fill(0xAB);
  what.folder.bytes.fill(7);
  what.operation = operation;
  what.question.set_path("d\xC3\xA4ten/a b?&=%.txt");
  what.question.set_offset(std::uint64_t{1} << 40);
  return what;
}

TEST(FileServicePath, SurvivesItsWayForEveryOperation) {
  for (int i = 0; i <= static_cast<int>(FileOperation::kUploadAbort); ++i) {
    const auto asked = question(static_cast<FileOperation>(i));
    const auto told = file_service_path_in(to_path(asked));
    ASSERT_TRUE(told) << to_path(asked);
    EXPECT_EQ(told->volume, asked.volume);
    EXPECT_EQ(told->folder, asked.folder);
    EXPECT_EQ(told->operation, asked.operation);
    EXPECT_EQ(told->question.SerializeAsString(), asked.question.SerializeAsString());
  }
}

TEST(FileServicePath, IsOfHexDigitsAndNamesAlone) {
  EXPECT_EQ(
      to_path({question(FileOperation::kList).volume, {}, FileOperation::kList, {}}),
      "/volumes/abababababababababababababababab/folders/00000000000000000000000000000000/files/list?q=");
}

TEST(FileServicePath, OfAnythingElseIsNone) {
  const std::string good = to_path(question(FileOperation::kStat));
  const std::string ids = good.substr(0, good.find("stat"));
  for (const std::string& path :
       {std::string(), std::string("/kernels/1/1/log"), ids, ids + "stat", ids + "erase?q=", ids + "stat?q=0",
        ids + "stat?q=zz", ids + "stat?q=ff", "x" + good, good + " ",
        std::string("/volumes/ab/folders/ab/files/stat?q=")})
    EXPECT_FALSE(file_service_path_in(path)) << path;
}

TEST(FilePath, OfTheFolderItselfAndOfWhatLiesInItIsGood) {
  for (const std::string& path :
       {std::string(), std::string("a"), std::string("a/b.txt"), std::string(".ssh/x"), std::string("..."),
        std::string("line\nbreak"), std::string(255, 'x')})
    EXPECT_FALSE(problem_of_file_path(path)) << path;
}

TEST(FilePath, ThatLeavesTheFolderOrIsNoTextIsRefused) {
  using namespace std::string_literals;
  for (const std::string& path : {"/"s, "/etc"s, "a/"s, "a//b"s, "."s, ".."s, "a/../b"s, "a/./b"s, "a\0b"s,
                                  "\xFF"s, std::string(256, 'x'), std::string(4097, 'x')})
    EXPECT_TRUE(problem_of_file_path(path)) << path;
}

}  // namespace
}  // namespace berth
