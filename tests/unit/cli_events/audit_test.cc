// berth audit verify: from which log, and what it says of one that is not what it should be.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "events/codec/chain_head.h"
#include "projections/audit/signed_head.h"
#include "projections/fold/chain.h"
#include "tests/support/local_log_folder.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/cli/fake_journal.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

// As signed over the first two records.
std::string head_of(const Journal& journal) {
  SealingRing ring;
  ring.add({1, std::string(kSealKeyBytes, 'k')});
  const HeadSigner signer(journal.cluster, ring);
  const auto key = signer.first(std::string(kHeadSeedBytes, 'a'));
  projections::Chain chain;
  for (int i = 0; i < 2; ++i) chain.extend(blake2b_256(journal.payloads[static_cast<std::size_t>(i)]));
  v1::ChainHeadRecorded told;
  told.mutable_claim()->set_offset(chain.next());
  told.mutable_claim()->set_rolling(std::string(as_view(chain.rolling())));
  told.set_state_hash(std::string(16, 's'));
  told.set_applied(chain.next());
  signer.sign(key.public_key(), key.secret_key(), told);
  return boost::json::serialize(projections::to_json(projections::signed_head_of(journal.cluster, told)));
}

class AuditVerify : public ::testing::Test {
 protected:
  Ran verify(const std::string& log, const std::string& head = "") {
    std::vector<std::string> words{"audit", "verify", "--log", log};
    if (!head.empty()) words.insert(words.end(), {"--head", head});
    return world.run(words);
  }
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = (folder.path() / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  const Journal journal{5};
  FakeWorld world;
  testing::TempDir folder;
};

TEST_F(AuditVerify, WalksAnExportedFile) {
  const auto ran = verify(file("j.jsonl", export_of(journal)));
  EXPECT_EQ(ran.exit, kOk) << ran.err;
  EXPECT_TRUE(world.server.requests.empty()) << "no server is asked";
}

TEST_F(AuditVerify, P34_NamesWhatTheClusterIgnoredAndProvesTheRest) {
  const SignedJournal forged('a', Journal::usual_cluster(), 2, 1);
  const auto ran = verify(file("j.jsonl", export_of(forged)),
                          file("head.json", boost::json::serialize(projections::to_json(forged.head))));
  EXPECT_EQ(ran.exit, kOk) << ran.err;
  EXPECT_NE(
      ran.err.find(
          "the record at offset 4 continues the one before, and the cluster ignored it: it has no right MAC"),
      std::string::npos)
      << ran.err;
  EXPECT_NE(ran.out.find("extended"), std::string::npos) << ran.out;
}

TEST_F(AuditVerify, SaysWhereAnExportIsNone) {
  const std::string whole = export_of(journal);
  const auto malformed = [&](const std::string& text, const char* why) {
    const auto ran = verify(file("none.jsonl", text));
    EXPECT_EQ(ran.exit, kUsage) << text;
    EXPECT_NE(ran.err.find("export-malformed"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find(why), std::string::npos) << ran.err;
  };
  malformed(whole.substr(0, whole.size() / 2), "no JSON object");
  malformed("", "no record comes");
  malformed(whole.substr(0, whole.find('\n') + 1), "no record comes");
  malformed("{\"cluster\":\"x\",\"secret\":\"y\"}\n", "no head of an export");
  malformed("{\"offset\":-1,\"payload\":null}\n", "its offset is none");
  EXPECT_NE(verify("/nothing.jsonl").err.find("cannot be read"), std::string::npos);
  EXPECT_NE(verify("/dev/null").err.find("no record comes"), std::string::npos);
}

TEST_F(AuditVerify, ReadsNoLineWithoutEndAndNoHeadWithoutEnd) {
  EXPECT_NE(verify("/dev/zero").err.find("line-too-long"), std::string::npos);
  const auto ran = verify(file("j.jsonl", export_of(journal)), "/dev/zero");
  EXPECT_EQ(ran.exit, kUsage);
  EXPECT_NE(ran.err.find("file-too-long"), std::string::npos) << ran.err;
}

TEST_F(AuditVerify, NamesTheOffsetOfARecordThatWasTakenOutSwappedOrDoubled) {
  std::vector<std::string> lines;
  std::istringstream whole(export_of(journal));
  for (std::string line; std::getline(whole, line);) lines.push_back(line + "\n");
  const auto check = [&](std::vector<std::string> changed, const char* offset) {
    std::string text;
    for (const auto& line : changed) text += line;
    const auto ran = verify(file("changed.jsonl", text));
    EXPECT_EQ(ran.exit, kFailed) << ran.err;
    EXPECT_NE(ran.err.find("record-missing"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find(std::string("first bad offset ") + offset), std::string::npos) << ran.err;
  };
  auto changed = lines;
  changed.erase(changed.begin() + 3);
  check(changed, "2");
  changed = lines;
  std::swap(changed[3], changed[4]);
  check(changed, "2");
  changed = lines;
  changed.insert(changed.begin() + 3, changed[2]);
  check(changed, "2");
}

TEST_F(AuditVerify, NamesTheFirstBadOffset) {
  Journal flipped{5};
  flipped.payloads[3][40] ^= 1;
  const auto ran = verify(file("j.jsonl", export_of(flipped)));
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("first bad offset 3"), std::string::npos) << ran.err;
}

TEST_F(AuditVerify, SaysThatALogIsOfAnotherClusterThanTheHead) {
  const Journal foreign(5, *Uuid::parse("99999999-2222-8333-8444-555555555555"));
  const auto ran = verify(file("j.jsonl", export_of(journal)), file("head.json", head_of(foreign)));
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("99999999-2222"), std::string::npos) << ran.err;
}

TEST_F(AuditVerify, SaysThatAHeadFileIsCutInHalf) {
  const std::string head = head_of(journal);
  const auto ran =
      verify(file("j.jsonl", export_of(journal)), file("head.json", head.substr(0, head.size() / 2)));
  EXPECT_EQ(ran.exit, kUsage);
  EXPECT_NE(ran.err.find("/head.json: this is no whole signed chain head"), std::string::npos) << ran.err;
}

TEST_F(AuditVerify, SaysThatAFolderHasNoLog) {
  const auto ran = verify(folder.path().string());
  EXPECT_EQ(ran.exit, kUsage);
  EXPECT_NE(ran.err.find("no-log-here"), std::string::npos) << ran.err;
}

// The end mark lies beside the rows: a tail that the rows lost is not lost unsaid.
TEST_F(AuditVerify, SaysThatAFolderLostItsTail) {
  const std::string dir = (folder.path() / "log").string();
  testing::write_local_log(dir, journal.payloads);
  EXPECT_EQ(verify(folder.path().string()).exit, kOk);
  testing::lose_tail(dir, {journal.payloads.begin(), journal.payloads.begin() + 3});
  const auto ran = verify(folder.path().string());
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("log-truncated"), std::string::npos) << ran.err;
}

// A head comes some seconds after what it covers.
TEST_F(AuditVerify, P34_WaitsForTheHeadThatTellsOfAServersNewestRecords) {
  const SignedJournal forged('a', Journal::usual_cluster(), 2, 2);
  world.server.answer = [&](const HttpRequest& request) {
    const std::size_t end = forged.payloads.size() - (world.server.pauses_ms.empty() ? 1 : 0);
    boost::json::array records;
    for (std::size_t i = std::stoul(request.target.substr(request.target.find("from=") + 5)); i < end; ++i)
      records.push_back({{"offset", i}, {"payload", boost::json::parse(forged.json_at(i))}});
    return Result<HttpReply>(json_reply(boost::json::serialize(
        boost::json::object{{"cluster_id", to_string(forged.cluster)}, {"end", end}, {"records", records}})));
  };
  const auto ran = verify("http://elsewhere:7411");
  EXPECT_EQ(ran.exit, kOk) << ran.err;
  EXPECT_EQ(world.server.pauses_ms, std::vector<long>{10'000});
  EXPECT_NE(ran.err.find("offset 4 continues the one before, and the cluster ignored it"), std::string::npos)
      << ran.err;
}

TEST_F(AuditVerify, AsksTheServerOfAUrl) {
  world.server.answer = [](const HttpRequest&) { return Result<HttpReply>(problem(403, "denied")); };
  EXPECT_NE(verify("http://elsewhere:7411").exit, kOk);
  EXPECT_EQ(world.server.host_port, "elsewhere:7411");
  ASSERT_FALSE(world.server.requests.empty());
  EXPECT_TRUE(world.server.requests[0].target.starts_with("/v1/journal?")) << world.server.requests[0].target;
}

}  // namespace
}  // namespace berth::cli
