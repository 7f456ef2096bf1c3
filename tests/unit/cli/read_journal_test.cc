// ops/read_journal.py and FORMAT.md against the real writer: envelopes, records and links made by the code of
// events/.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "ops/cli/command/journal_pages.h"
#include "projections/fold/projection.h"
#include "tests/unit/cli/fake_journal.h"

namespace berth::cli {
namespace {

struct Read {
  int exit = -1;
  std::string text;  // both streams
};

Read run_reader(const Journal& journal, const std::string& options = "") {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("berth-journal-" + std::to_string(::getpid()) + ".jsonl"))
          .string();
  {
    std::ofstream file(path);
    file << "{\"cluster_id\":\"" << to_string(journal.cluster) << "\",\"from\":0}\n";
    for (std::size_t i = 0; i < journal.payloads.size(); ++i)
      file << "{\"offset\":" << i << ",\"payload\":" << journal.json_at(i) << "}\n";
  }
  Read read;
  std::FILE* pipe = ::popen(("python3 ops/read_journal.py " + options + " " + path + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return read;
  char chunk[4096];
  while (const std::size_t size = std::fread(chunk, 1, sizeof chunk, pipe)) read.text.append(chunk, size);
  read.exit = WEXITSTATUS(::pclose(pipe));
  std::filesystem::remove(path);
  return read;
}

TEST(ReadJournal, PrintsEveryEventAndSaysThatTheChainHolds) {
  const auto read = run_reader(Journal(2));
  EXPECT_EQ(read.exit, 0) << read.text;
  EXPECT_NE(read.text.find("0-0  2026-01-01T00:00:00.000Z  ControllerElected controller=c1"),
            std::string::npos)
      << read.text;
  EXPECT_NE(read.text.find("2-0  2026-01-01T00:00:01.000Z  SessionFailed session_id=11111111 "
                           "code=no-capacity message=\"line\\nbreak\"  by user:admin"),
            std::string::npos)
      << read.text;
  EXPECT_NE(read.text.find("3 records, 3 events, 0 void, 1 claims checked"), std::string::npos) << read.text;
  EXPECT_NE(read.text.find("the chain holds"), std::string::npos);
}

TEST(ReadJournal, ShowsARecordThatDoesNotContinueAsVoidLikeEveryReader) {
  Journal journal(2);
  journal.payloads.insert(journal.payloads.begin() + 2, journal.payloads[1]);  // a duplicate append
  const auto read = run_reader(journal);
  EXPECT_EQ(read.exit, 0) << read.text;
  EXPECT_NE(read.text.find("2  void: sequence"), std::string::npos) << read.text;
  EXPECT_NE(read.text.find("3-0  "), std::string::npos);
}

TEST(ReadJournal, FindsALostRecordByTheLink) {
  Journal journal(1);
  v1::Record record;
  record.mutable_header()->set_epoch(1);
  record.mutable_header()->set_sequence(2);
  record.mutable_header()->set_link(std::string(32, 'x'));
  journal.add(record);
  EXPECT_NE(run_reader(journal).text.find("2  void: link"), std::string::npos);
}

TEST(ReadJournal, P30_ReadsAGapAsAVoidRecordWithALinkOfZeroBytes) {
  Journal journal(1);
  journal.payloads.emplace_back();
  projections::Projection reader(journal.cluster, projections::Projection::Tracking::kRows);
  for (std::size_t i = 0; i < journal.payloads.size(); ++i) reader.apply(journal.entry(i));
  const auto read = run_reader(journal);
  EXPECT_EQ(read.exit, 0) << read.text;
  EXPECT_NE(read.text.find("2  void: gap"), std::string::npos) << read.text;
  const std::string rolling = to_hex(as_view(reader.chain().rolling())).substr(0, 16);
  EXPECT_NE(read.text.find("rolling " + rolling + ": the chain holds"), std::string::npos) << read.text;
}

TEST(ReadJournal, FailsOnADamagedRecord) {
  Journal journal(2);
  journal.payloads[1][40] = static_cast<char>(journal.payloads[1][40] ^ 1);
  const auto read = run_reader(journal, "--check");
  EXPECT_EQ(read.exit, 1);
  EXPECT_NE(read.text.find("offset 1: no valid envelope: its checksum differs"), std::string::npos)
      << read.text;
}

TEST(ReadJournal, FailsOnAnotherClustersRecord) {
  Journal journal(1), other(1);
  other.cluster = *Uuid::parse("99999999-2222-8333-8444-555555555555");
  v1::Record record;
  other.add(record);
  journal.payloads.push_back(other.payloads.back());
  EXPECT_EQ(run_reader(journal).exit, 1);
}

TEST(ReadJournal, FailsOnAFalseClaim) {
  Journal journal(1);
  v1::Record record;
  auto& header = *record.mutable_header();
  header.set_epoch(2);
  header.set_time_ns(1'767'225'700'000'000'000);
  auto& claim = *record.add_events()->mutable_controller_elected()->mutable_claim();
  claim.set_offset(2);
  claim.set_rolling(std::string(32, 'y'));
  journal.add(record);
  const auto read = run_reader(journal);
  EXPECT_EQ(read.exit, 1);
  EXPECT_NE(read.text.find("2  void: claim"), std::string::npos) << read.text;
}

TEST(Base64, ReadsBackWhatTheServerWrites) {
  for (const std::string bytes : {"", "a", "ab", "abc", "abcd"})
    EXPECT_EQ(base64_decoded(base64(bytes)), bytes);
  EXPECT_FALSE(base64_decoded("abc"));
  EXPECT_FALSE(base64_decoded("a!bc"));
}

}  // namespace
}  // namespace berth::cli
