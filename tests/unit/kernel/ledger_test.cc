// What outlives the agent on disk: claims, ends, lease, logs.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "agents/kernel/claims.h"
#include "agents/kernel/ends_file.h"
#include "agents/kernel/lease_file.h"
#include "agents/kernel/log_reader.h"
#include "agents/kernel/shim/log_writer.h"
#include "agents/kernel/shim/system.h"
#include "tests/unit/kernel/temp_folder.h"

namespace berth::agents {
namespace {

TEST(Claims, AreKnownAgainAfterACrash) {
  TempFolder folder;
  {
    Claims claims;
    ASSERT_TRUE(claims.open(folder.path + "/claims").ok());
    claims.add("a.1");
    claims.add("b.1");
    claims.remove("a.1");
    ASSERT_TRUE(claims.sync());
  }
  Claims again;
  ASSERT_TRUE(again.open(folder.path + "/claims").ok());
  EXPECT_EQ(again.names(), std::set<std::string>{"b.1"});
}

TEST(Claims, P35_TheNewestThatWereForgottenAreKnownAgain) {
  TempFolder folder;
  std::string oldest;
  {
    Claims claims;
    ASSERT_TRUE(claims.open(folder.path + "/claims").ok());
    for (std::size_t i = 0; i < Claims::kForgottenMax + 1; ++i) {
      claims.add("a." + std::to_string(i + 1));
      oldest = claims.forget("a." + std::to_string(i + 1));
    }
    EXPECT_EQ(oldest, "a.1");
    ASSERT_TRUE(claims.sync());
  }
  for (int opening = 0; opening < 2; ++opening) {  // the first writes the ledger anew
    Claims again;
    ASSERT_TRUE(again.open(folder.path + "/claims").ok());
    EXPECT_TRUE(again.names().empty());
    EXPECT_FALSE(again.is_forgotten("a.1"));
    EXPECT_TRUE(again.is_forgotten("a.2"));
    EXPECT_EQ(again.forgotten().size(), Claims::kForgottenMax);
  }
}

TEST(Claims, ATornLastLineIsDroppedAndTheRestKept) {
  TempFolder folder;
  {
    Claims claims;
    ASSERT_TRUE(claims.open(folder.path + "/claims").ok());
    claims.add("a.1");
    ASSERT_TRUE(claims.sync());
  }
  std::ofstream(folder.path + "/claims", std::ios::app) << "+b.1 12";
  Claims again;
  ASSERT_TRUE(again.open(folder.path + "/claims").ok());
  EXPECT_EQ(again.names(), std::set<std::string>{"a.1"});
}

// Writes past `bytes` of any file fail while this lives, as on a full disk.
class FullAt {
 public:
  explicit FullAt(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullAt() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(Claims, ALedgerThatCannotBeWrittenAnewIsGoneOnWith) {
  TempFolder folder;
  const std::string path = folder.path + "/claims";
  {
    Claims claims;
    ASSERT_TRUE(claims.open(path).ok());
    claims.add("a.1");
    ASSERT_TRUE(claims.sync());
  }
  {
    const FullAt full(0);
    Claims claims;
    ASSERT_TRUE(claims.open(path).ok());
    EXPECT_EQ(claims.names(), std::set<std::string>{"a.1"});
    claims.add("b.1");
    EXPECT_FALSE(claims.sync()) << "nothing may be started";
  }
  Claims claims;
  ASSERT_TRUE(claims.open(path).ok());
  claims.add("c.1");
  ASSERT_TRUE(claims.sync());
}

TEST(Claims, NoLineGoesOnWhereADiskThatWasFullCutOne) {
  TempFolder folder;
  const std::string path = folder.path + "/claims";
  Claims claims;
  ASSERT_TRUE(claims.open(path).ok());
  claims.add("a.1");
  ASSERT_TRUE(claims.sync());
  claims.add("b.1");
  {
    const FullAt full(std::filesystem::file_size(path) + 3);
    EXPECT_FALSE(claims.sync());
  }
  claims.add("c.1");
  ASSERT_TRUE(claims.sync());
  Claims again;
  ASSERT_TRUE(again.open(path).ok());
  EXPECT_EQ(again.names(), (std::set<std::string>{"a.1", "b.1", "c.1"}));
}

TEST(EndsFile, OneThatCannotBeWrittenAnewStaysAsItIs) {
  TempFolder folder;
  const std::string path = folder.path + "/ends";
  const std::string line = shim::encode_end("a.1", {.code = 3, .error_code = {}, .error = {}});
  std::ofstream(path) << line;
  const FullAt full(0);
  const auto ends = open_ends(path, {"a.1"});
  ASSERT_TRUE(ends.ok());
  EXPECT_EQ(ends->at("a.1").code, 3);
  EXPECT_EQ(shim::read_file(path), line);
}

TEST(LeaseFile, OfThisBootIsOpenedOnAFullDisk) {
  TempFolder folder;
  const std::string path = folder.path + "/lease";
  std::uint64_t generation = 0;
  {
    LeaseFile lease;
    ASSERT_TRUE(lease.open(path).ok());
    ASSERT_TRUE(lease.remember_boot().ok());
    generation = lease.extend(shim::boottime_now() + kHour);
  }
  const FullAt full(std::filesystem::file_size(path));
  LeaseFile lease;
  ASSERT_TRUE(lease.open(path).ok());
  EXPECT_EQ(lease.extend(shim::boottime_now() + 2 * kHour), generation);
}

TEST(EndsFile, KeepsTheEndsOfKernelsThatAreStillClaimed) {
  TempFolder folder;
  const std::string path = folder.path + "/ends";
  std::ofstream(path) << shim::encode_end("a.1", {.code = 3, .error_code = {}, .error = {}})
                      << shim::encode_end("b.1", {.code = 4, .error_code = {}, .error = {}}) << "torn";
  const auto ends = open_ends(path, {"b.1"});
  ASSERT_TRUE(ends.ok());
  ASSERT_EQ(ends->size(), 1u);
  EXPECT_EQ(ends->at("b.1").code, 4);
  EXPECT_EQ(open_ends(path, {"a.1", "b.1"})->size(), 1u) << "what nobody claims is gone for good";
}

TEST(LeaseFile, KnowsItsBootOnceWhatAnEarlierBootLeftIsDealtWith) {
  TempFolder folder;
  const std::string path = folder.path + "/lease";
  LeaseFile first, cut_short, later;
  ASSERT_TRUE(first.open(path).ok());
  ASSERT_TRUE(cut_short.open(path).ok());
  EXPECT_FALSE(cut_short.is_of_this_boot());
  ASSERT_TRUE(cut_short.remember_boot().ok());
  ASSERT_TRUE(later.open(path).ok());
  EXPECT_TRUE(later.is_of_this_boot());
}

TEST(LeaseFile, ARenewalInTimeKeepsTheGenerationAndALateOneBeginsANewOne) {
  TempFolder folder;
  const std::string path = folder.path + "/lease";
  LeaseFile lease;
  ASSERT_TRUE(lease.open(path).ok());
  ASSERT_TRUE(lease.remember_boot().ok());
  const Timestamp now = shim::boottime_now();
  const std::uint64_t first = lease.extend(now + kHour);
  EXPECT_EQ(lease.extend(now + 2 * kHour), first);
  EXPECT_EQ(lease.extend(now), first) << "a deadline never moves back";
  EXPECT_EQ(shim::read_lease(path)->until, now + 2 * kHour);
  LeaseFile next_life;
  ASSERT_TRUE(next_life.open(path).ok());
  EXPECT_EQ(next_life.until(), now + 2 * kHour) << "kernels of the life before may run until then";

  LeaseFile late;
  ASSERT_TRUE(late.open(folder.path + "/other").ok());
  const std::uint64_t over = late.extend(now - kSecond);
  EXPECT_GT(late.extend(now + kHour), over) << "a lease that was over never revives (P24)";
}

TEST(KernelLog, KeepsTheNewestSegmentsAndSaysWhatIsMissing) {
  TempFolder folder;
  std::filesystem::create_directory(folder.path + "/logs");
  const shim::KernelFiles files{{folder.path, folder.path}, "k.1"};
  shim::LogWriter writer(files);
  ASSERT_TRUE(writer.open(false));
  const std::string block(1 << 20, 'x');
  for (int i = 0; i < 18; ++i) writer.append(block);
  writer.append("the end\n");
  const auto tail = read_log_page(files, -8, 100, true);
  ASSERT_TRUE(tail.ok());
  EXPECT_EQ(tail->bytes, "the end\n");
  EXPECT_TRUE(tail->ended);
  const auto head = read_log_page(files, 0, 100, true);
  ASSERT_TRUE(head.ok());
  EXPECT_EQ(head->bytes.find("[berth: 4194304 bytes of older output were dropped]\nxxx"), 0u)
      << head->bytes.substr(0, 80);
  EXPECT_EQ(head->next, 4194304u + 100);
  const auto across = read_log_page(files, 2 * shim::kLogSegment - 10, 20, false);
  EXPECT_EQ(across->bytes, std::string(20, 'x'));
  EXPECT_FALSE(across->ended);
}

TEST(KernelLog, ASecondShimGoesOnWhereTheFirstStopped) {
  TempFolder folder;
  std::filesystem::create_directory(folder.path + "/logs");
  const shim::KernelFiles files{{folder.path, folder.path}, "k.1"};
  {
    shim::LogWriter first(files);
    ASSERT_TRUE(first.open(false));
    first.append(std::string(5 << 20, 'a'));
  }
  shim::LogWriter second(files);
  ASSERT_TRUE(second.open(true));
  second.append("b");
  const auto tail = read_log_page(files, -2, 10, true);
  EXPECT_EQ(tail->bytes, "ab");
  EXPECT_EQ(tail->next, (5u << 20) + 1);
}

}  // namespace
}  // namespace berth::agents
