// ops/read_journal.py checks signed chain heads that the real signer made, in plain Python.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"
#include "tests/unit/cli/fake_journal.h"

namespace berth::cli {
namespace {

class ReadJournalHead : public ::testing::Test {
 protected:
  // Its exit code; what it says is in `said`.
  int read(const Journal& journal, const std::string& head_text) {
    return read_text(export_of(journal), head_text);
  }
  int read_text(const std::string& journal_text, const std::string& head_text) {
    std::ofstream(dir_.path().string() + "/head.json") << head_text;
    std::ofstream(dir_.path().string() + "/journal.jsonl") << journal_text;
    said.clear();
    std::FILE* pipe = ::popen(("python3 ops/read_journal.py --check --head " + dir_.path().string() +
                               "/head.json " + dir_.path().string() + "/journal.jsonl 2>&1")
                                  .c_str(),
                              "r");
    char chunk[4096];
    while (const std::size_t size = std::fread(chunk, 1, sizeof chunk, pipe)) said.append(chunk, size);
    return WEXITSTATUS(::pclose(pipe));
  }
  static std::string text_of(const projections::SignedHead& head) {
    return boost::json::serialize(projections::to_json(head));
  }
  std::string said;

 private:
  testing::TempDir dir_;
};

TEST_F(ReadJournalHead, ExtendsTheHeadThatWasKept) {
  const SignedJournal journal;
  EXPECT_EQ(read(journal, text_of(journal.head)), 0) << said;
  EXPECT_NE(said.find("1 signed heads, the newest over 4 records; the kept head: extended"),
            std::string::npos)
      << said;
}

// It has not the cluster's secret: the head lists what the cluster ignored.
TEST_F(ReadJournalHead, P34_TakesTheSameRecordsAsTheClusterAndNamesWhatItIgnored) {
  const SignedJournal journal('a', Journal::usual_cluster(), 2, 1);
  EXPECT_EQ(read(journal, text_of(journal.head)), 0) << said;
  EXPECT_NE(
      said.find(
          "offset 4: ignored by the cluster, though it continues the record before: it has no right MAC\n"),
      std::string::npos)
      << said;
  EXPECT_NE(said.find("7 records, 6 events, 1 void, 2 claims checked"), std::string::npos) << said;
  EXPECT_NE(said.find("1 signed heads, the newest over 6 records; the kept head: extended"),
            std::string::npos)
      << said;
}

TEST_F(ReadJournalHead, P34_WithoutAHeadThatTellsItProvesNothing) {
  SignedJournal journal('a', Journal::usual_cluster(), 2, 1);
  journal.payloads.pop_back();
  journal.applied.pop_back();
  journal.link = as_view(blake2b_256(journal.payloads.back()));
  v1::Event event;
  event.mutable_slot_type_registered()->set_name("next");
  journal.append(event);
  const SignedJournal other;
  EXPECT_EQ(read(journal, text_of(other.head)), 1) << said;
  EXPECT_NE(said.find("offset 6: it does not continue the record before (link)"), std::string::npos) << said;
}

TEST_F(ReadJournalHead, FindsACutTailAFlippedByteAndAForgedSignature) {
  const SignedJournal journal;
  SignedJournal cut = journal;
  cut.payloads.resize(2);
  EXPECT_EQ(read(cut, text_of(journal.head)), 1);
  EXPECT_NE(said.find("offset 2: the journal ends here, the kept head covers 4 records"), std::string::npos)
      << said;
  SignedJournal flipped = journal;
  flipped.payloads[1][50] = static_cast<char>(flipped.payloads[1][50] ^ 1);
  EXPECT_EQ(read(flipped, text_of(journal.head)), 1);
  EXPECT_NE(said.find("offset 1: "), std::string::npos) << said;
}

TEST_F(ReadJournalHead, FindsAnotherLogThatWasSplicedIn) {
  const SignedJournal journal, other('b');
  SignedJournal spliced = journal;
  spliced.payloads.back() = other.payloads.back();
  EXPECT_EQ(read(spliced, text_of(journal.head)), 1) << said;
  EXPECT_NE(said.find("offset 4: "), std::string::npos) << said;
}

// Whole and rightly signed, by a key that is not the one of the head that was kept.
TEST_F(ReadJournalHead, FindsALogThatWasSignedAnewWithAnotherKey) {
  const SignedJournal journal, anew('b');
  EXPECT_EQ(read(anew, text_of(anew.head)), 0) << said;
  EXPECT_EQ(read(anew, text_of(journal.head)), 1) << said;
  EXPECT_NE(said.find("are not those that the kept head was signed over"), std::string::npos) << said;
}

TEST_F(ReadJournalHead, FindsTheHeadOfAnotherCluster) {
  const SignedJournal journal, foreign('a', *Uuid::parse("99999999-2222-8333-8444-555555555555"));
  EXPECT_EQ(read(journal, text_of(foreign.head)), 1) << said;
  EXPECT_NE(said.find("the kept head is of cluster 99999999-"), std::string::npos) << said;
}

TEST_F(ReadJournalHead, RefusesWhatIsNoExport) {
  const SignedJournal journal;
  EXPECT_EQ(read_text("{\"cluster\":\"x\"}\n", text_of(journal.head)), 2) << said;
  EXPECT_EQ(read_text("", text_of(journal.head)), 2) << said;
  EXPECT_EQ(read_text("{\"offset\":-5,\"payload\":\"\"}\n", text_of(journal.head)), 2) << said;
  EXPECT_EQ(read_text("{\"offset\":1e99,\"payload\":\"\"}\n", text_of(journal.head)), 2) << said;
  EXPECT_EQ(read_text(std::string(100'000, '['), text_of(journal.head)), 2) << said;
  EXPECT_EQ(said.find("Traceback"), std::string::npos) << said;
}

TEST_F(ReadJournalHead, RefusesHalfAHeadFileAndOneThatWasChanged) {
  const SignedJournal journal;
  const std::string text = text_of(journal.head);
  EXPECT_EQ(read(journal, text.substr(0, text.size() / 2)), 2);
  EXPECT_NE(said.find("is no whole signed chain head"), std::string::npos) << said;
  projections::SignedHead changed = journal.head;
  changed.offset = 3;
  EXPECT_EQ(read(journal, text_of(changed)), 2);
  EXPECT_NE(said.find("its signature does not fit"), std::string::npos) << said;
}

}  // namespace
}  // namespace berth::cli
