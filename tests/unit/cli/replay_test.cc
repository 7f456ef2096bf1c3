// What the CLI computes from the raw journal: export, verify, and the state at a past position.
#include <gtest/gtest.h>

#include <algorithm>

#include "projections/fold/projection.h"
#include "tests/unit/cli/fake_journal.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

// An election, then one record with two slot types.
Journal two_slot_types() {
  Journal journal(0);
  v1::Record record;
  record.mutable_header()->set_epoch(1);
  record.mutable_header()->set_sequence(1);
  record.mutable_header()->set_link(journal.link);
  record.mutable_header()->set_time_ns(1'767'225'600'000'000'000);
  for (const char* name : {"cpu", "cuda.shares"})
    record.add_events()->mutable_slot_type_registered()->set_name(name);
  journal.add(record);
  return journal;
}

// Serves the journal, two records a page, and says that the live state hash is `state_hash`.
void serve(FakeWorld& w, const Journal& journal, std::string state_hash = "", std::size_t per_page = 2) {
  w.server.answer = [&journal, state_hash, per_page](const HttpRequest& request) -> Result<HttpReply> {
    const std::size_t end = journal.payloads.size();
    if (request.target == "/v1/whoami") return json_reply(R"({"user": "admin"})");
    if (request.target == "/v1/cluster?newest=true")
      return json_reply(json::serialize(
          json::object{{"position", end - 1}, {"state_hash", state_hash}, {"rolling_hash", ""}}));
    const std::string from_text = request.target.substr(request.target.find("from=") + 5);
    const std::size_t from = std::stoul(from_text);
    json::array records;
    for (std::size_t i = from; i < std::min(end, from + per_page); ++i)
      records.push_back(json::object{{"offset", i}, {"payload", json::parse(journal.json_at(i))}});
    const std::size_t next = from + records.size();
    return json_reply(json::serialize(json::object{{"cluster_id", to_string(journal.cluster)},
                                                   {"begin", 0},
                                                   {"end", end},
                                                   {"next", next},
                                                   {"records", std::move(records)}}));
  };
}

std::string folded_hash(const Journal& journal) {
  projections::Projection projection(journal.cluster, projections::Projection::Tracking::kRows);
  for (std::size_t i = 0; i < journal.payloads.size(); ++i) projection.apply(journal.entry(i));
  return to_hex(as_view(projection.state_hash()));
}

TEST(Verify, HoldsWhenTheReplayGivesTheLiveStateHash) {
  FakeWorld w;
  const Journal journal = two_slot_types();
  serve(w, journal, folded_hash(journal), 1);
  const auto ran = w.run({"cluster", "verify", "-o", "json"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out).at("applied"), 2);
}

// A reader without the cluster's secret believes what it reads (ADR 0065).
TEST(Verify, SaysThatSignaturesWereNotChecked) {
  FakeWorld w;
  const Journal journal = two_slot_types();
  serve(w, journal, folded_hash(journal), 1);
  const auto ran = w.run({"cluster", "verify", "-o", "json"});
  EXPECT_EQ(json::parse(ran.out).at("signatures_checked"), false);
  EXPECT_NE(ran.err.find("signatures were not checked"), std::string::npos) << ran.err;
}

TEST(Verify, P30_HoldsForAJournalWithGaps) {
  FakeWorld w;
  Journal journal = two_slot_types();
  journal.payloads.insert(journal.payloads.begin() + 1, std::string());
  journal.payloads.emplace_back();
  serve(w, journal, folded_hash(journal), 1);
  const auto ran = w.run({"cluster", "verify", "-o", "json"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out).at("applied"), 2);
}

// The cluster has its secret, and did not fold the record that has no right MAC.
TEST(Verify, P34_HoldsForAJournalWithARecordThatTheClusterIgnored) {
  FakeWorld w;
  const SignedJournal journal('a', Journal::usual_cluster(), 0, 1);
  projections::Projection live(journal.cluster, projections::Projection::Tracking::kRows);
  for (std::size_t i = 0; i < journal.payloads.size(); ++i) {
    if (i == 2)
      live.pass_over(journal.entry(i));
    else
      live.apply(journal.entry(i));
  }
  ASSERT_EQ(live.counters().voided, 1u);
  serve(w, journal, to_hex(as_view(live.state_hash())));
  const auto ran = w.run({"cluster", "verify", "-o", "json"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out).at("void"), 1);
  EXPECT_NE(ran.err.find("the record at offset 2 continues the one before, and the cluster ignored it"),
            std::string::npos)
      << ran.err;
}

// The state as the cluster folded it, which ignored record 2.
std::string live_hash(const SignedJournal& journal, std::size_t records) {
  projections::Projection live(journal.cluster, projections::Projection::Tracking::kRows);
  for (std::size_t i = 0; i < records; ++i) {
    if (i == 2)
      live.pass_over(journal.entry(i));
    else
      live.apply(journal.entry(i));
  }
  return to_hex(as_view(live.state_hash()));
}

// A head comes some seconds after what it covers.
TEST(Verify, P34_WaitsForTheHeadThatTellsOfTheNewestRecords) {
  FakeWorld w;
  const SignedJournal journal('a', Journal::usual_cluster(), 0, 1);
  SignedJournal before = journal;
  before.payloads.pop_back();
  serve(w, before, live_hash(journal, 4));
  const auto without_head = w.server.answer;
  serve(w, journal);
  const auto with_head = w.server.answer;
  w.server.answer = [&](const HttpRequest& request) {
    return w.server.pauses_ms.empty() ? without_head(request) : with_head(request);
  };
  const auto ran = w.run({"cluster", "verify", "-o", "json"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(w.server.pauses_ms, std::vector<long>{10'000});
  const json::value told = json::parse(ran.out);
  EXPECT_EQ(told.at("void"), 1);
  EXPECT_EQ(told.at("position"), 3);
}

TEST(ResourceAt, P34_ShowsNothingOfARecordThatTheClusterIgnored) {
  FakeWorld w;
  const SignedJournal journal('a', Journal::usual_cluster(), 0, 1);
  serve(w, journal);
  EXPECT_EQ(w.run({"resource", "--at", "2", "-o", "name"}).out, "");
  EXPECT_EQ(w.run({"resource", "--at", "2-0", "-o", "name"}).out, "");
  EXPECT_EQ(w.run({"resource", "--at", "3-0", "-o", "name"}).out, "right\n");
}

TEST(Verify, FailsWhenTheLiveStateHashIsAnother) {
  FakeWorld w;
  const Journal journal = two_slot_types();
  serve(w, journal, std::string(32, '0'));
  const auto ran = w.run({"cluster", "verify"});
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("verify-failed: the replayed state hash differs"), std::string::npos) << ran.err;
}

TEST(ResourceAt, ReadsTheStateAfterARecordOrWithinIt) {
  FakeWorld w;
  const Journal journal = two_slot_types();
  serve(w, journal);
  EXPECT_EQ(w.run({"resource", "--at", "0", "-o", "name"}).out, "");
  EXPECT_EQ(w.run({"resource", "--at", "1-0", "-o", "name"}).out, "cpu\n");
  EXPECT_EQ(w.run({"resource", "--at", "1-1", "-o", "name"}).out, "cpu\ncuda.shares\n");
  EXPECT_EQ(w.run({"resource", "--at", "1", "-o", "name"}).out, "cpu\ncuda.shares\n");
}

TEST(ResourceAt, RefusesWhatIsNoPositionOrNotThereYet) {
  FakeWorld w;
  const Journal journal = two_slot_types();
  serve(w, journal);
  for (const char* bad : {"x", "1-", "-1-0", "1-x", "99999999999999999999"})
    EXPECT_EQ(w.run({"resource", "--at=" + std::string(bad)}).exit, kUsage) << bad;
  const auto later = w.run({"resource", "--at", "99999"});
  EXPECT_EQ(later.exit, kNotFound);
  EXPECT_NE(later.err.find("the journal has no record 99999 yet, its last one is 1"), std::string::npos)
      << later.err;
  EXPECT_NE(later.err.find("--at 1 is as it stands now"), std::string::npos) << later.err;
}

TEST(ResourceAt, ReplaysNothingForARecordThatIsNotThere) {
  FakeWorld w;
  const Journal journal = two_slot_types();
  serve(w, journal);
  w.run({"resource", "--at", "99999"});
  EXPECT_EQ(w.server.requests.back().target, "/v1/journal?from=0&limit=1");
}

TEST(Export, WritesALinePerRecordFromAnOffsetOn) {
  FakeWorld w;
  const Journal journal(3);
  serve(w, journal);
  const auto ran = w.run({"journal", "export", "--from", "2", "-q"});
  EXPECT_EQ(ran.out, "{\"cluster_id\":\"" + to_string(journal.cluster) + "\",\"from\":2}\n" +
                         "{\"offset\":2,\"payload\":\"" + base64(journal.payloads[2]) + "\"}\n" +
                         "{\"offset\":3,\"payload\":\"" + base64(journal.payloads[3]) + "\"}\n");
  Journal with_gap = journal;
  with_gap.payloads.emplace_back();
  serve(w, with_gap);
  EXPECT_NE(w.run({"journal", "export", "-q"}).out.find("{\"offset\":4,\"payload\":null}\n"),
            std::string::npos);
  EXPECT_EQ(w.run({"journal", "export", "--from", "1", "--to", "2", "-q"}).out.find("\"offset\":2"),
            std::string::npos);
}

// As a server answers whose log gives nothing for the moment.
TEST(Export, AnEmptyPageBeforeTheEndIsNotTheEnd) {
  FakeWorld w;
  const Journal journal = two_slot_types();
  serve(w, journal, "", 0);
  const auto ran = w.run({"journal", "export", "-q"});
  EXPECT_EQ(ran.exit, kUnreachable) << ran.err;
  EXPECT_NE(ran.err.find("log-unavailable"), std::string::npos) << ran.err;
}

TEST(Export, UpToAPlaceBehindTheEndEndsWithTheJournal) {
  FakeWorld w;
  const Journal journal = two_slot_types();
  serve(w, journal);
  const auto ran = w.run({"journal", "export", "--to", "9"});
  EXPECT_EQ(ran.exit, kOk) << ran.err;
  EXPECT_NE(ran.err.find("exported 2 records, next offset 2"), std::string::npos) << ran.err;
}

TEST(Verify, SaysThatTheLogEndsBeforeWhatTheServerHasRead) {
  FakeWorld w;
  Journal journal = two_slot_types();
  serve(w, journal);
  const auto answer = w.server.answer;
  w.server.answer = [&](const HttpRequest& request) {
    return request.target == "/v1/cluster?newest=true"
               ? Result<HttpReply>(json_reply(R"({"position": 4, "state_hash": "00"})"))
               : answer(request);
  };
  const auto ran = w.run({"cluster", "verify"});
  EXPECT_EQ(ran.exit, kFailed) << ran.err;
  EXPECT_NE(ran.err.find("log-truncated"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace berth::cli
