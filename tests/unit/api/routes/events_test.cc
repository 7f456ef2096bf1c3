// The journal watched: no gap, no duplicate, whatever the place one begins at.
#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

// Reads a stream's frames until `count` events came or it ended; comments are dropped.
class Reader {
 public:
  explicit Reader(std::shared_ptr<api::FrameStream> stream) : stream_(std::move(stream)) {}

  std::string ids(std::size_t count) {
    std::string out;
    while (seen_ < count && !ended && pull()) {}
    for (const std::string& id : all) out += id + " ";
    return out;
  }
  bool pull() {
    auto promise = std::make_shared<std::promise<api::FrameStream::Batch>>();
    stream_->next([promise](api::FrameStream::Batch batch) { promise->set_value(std::move(batch)); });
    auto future = promise->get_future();
    if (future.wait_for(std::chrono::seconds(20)) != std::future_status::ready) return false;
    const auto batch = future.get();
    for (const auto& frame : batch.frames) take(*frame);
    ended = batch.end;
    return true;
  }
  std::vector<std::string> all;
  std::vector<const void*> bytes;
  std::string last;
  bool ended = false;

 private:
  void take(const std::string& frame) {
    last = frame;
    if (!frame.starts_with("id: ")) return;
    ++seen_;
    all.push_back(frame.substr(4, frame.find('\n') - 4));
    bytes.push_back(frame.data());
  }
  std::shared_ptr<api::FrameStream> stream_;
  std::size_t seen_ = 0;
};

Reader watch(ApiRig& rig, const std::string& query, const std::string& last_event_id = "",
             const std::string& key = "admin-key") {
  const auto reply = rig.ask({.target = "/v1/events" + query,
                              .key = key,
                              .accept = "text/event-stream",
                              .last_event_id = last_event_id});
  EXPECT_EQ(reply.status, 200u) << reply.body;
  EXPECT_EQ(reply.content_type, "text/event-stream");
  EXPECT_NE(reply.stream, nullptr);
  return Reader(reply.stream);
}

Events pair(const std::string& a, const std::string& b) {
  return {session_requested(a), session_requested(b)};
}

TEST(Watch, BeginsWithWhatComesNow) {
  ApiRig rig;
  const Offset next = rig.cell.position() + 1;
  Reader reader = watch(rig, "");
  rig.cell.append(pair("s1", "s2"));
  EXPECT_EQ(reader.ids(2), std::to_string(next) + "-0 " + std::to_string(next) + "-1 ");
}

TEST(Watch, ResumesExactlyInsideARecord) {
  ApiRig rig;
  const Offset next = rig.cell.position() + 1;
  const std::string n = std::to_string(next), m = std::to_string(next + 1);
  rig.cell.append(pair("s1", "s2"));
  rig.cell.append(pair("s3", "s4"));
  EXPECT_EQ(watch(rig, "", n + "-0").ids(3), n + "-1 " + m + "-0 " + m + "-1 ");
  EXPECT_EQ(watch(rig, "?after=" + n + "-1").ids(2), m + "-0 " + m + "-1 ");
  EXPECT_EQ(watch(rig, "?from=" + m).ids(2), m + "-0 " + m + "-1 ");
}

TEST(Watch, ReadsThePastFromTheLogAndGoesOnLive) {
  ApiRig rig;
  const Offset before = rig.cell.position();
  Reader reader = watch(rig, "?from=0");
  EXPECT_EQ(reader.ids(before + 1), reader.ids(before + 1));
  EXPECT_GT(rig.cell.pages_read, 0);
  rig.cell.append({session_requested("s1")});
  reader.ids(before + 2);
  ASSERT_EQ(reader.all.size(), before + 2);
  for (std::size_t i = 0; i < reader.all.size(); ++i) EXPECT_EQ(reader.all[i], std::to_string(i) + "-0");
}

TEST(Watch, EndsBehindTheRecordAskedFor) {
  ApiRig rig;
  const Offset next = rig.cell.position() + 1;
  rig.cell.append(pair("s1", "s2"));
  rig.cell.append(pair("s3", "s4"));
  Reader reader = watch(rig, "?from=" + std::to_string(next) + "&to=" + std::to_string(next));
  reader.ids(100);
  EXPECT_EQ(reader.all.size(), 2u);
  EXPECT_TRUE(reader.ended);
  EXPECT_TRUE(reader.last.starts_with("event: end\n")) << reader.last;
}

TEST(Watch, EndsInTheFutureAndAlsoWhereTheLastRecordIsVoid) {
  ApiRig rig;
  const Offset next = rig.cell.position() + 1;
  Reader reader = watch(rig, "?from=" + std::to_string(next) + "&to=" + std::to_string(next + 1));
  rig.cell.append({session_requested("s1")});
  rig.cell.append_void();
  reader.ids(100);
  EXPECT_EQ(reader.all, std::vector<std::string>{std::to_string(next) + "-0"});
  EXPECT_TRUE(reader.ended);
}

TEST(Watch, ShowsNoVoidRecords) {
  ApiRig rig;
  const Offset next = rig.cell.position() + 1;
  rig.cell.append_void();
  rig.cell.append({session_requested("s1")});
  EXPECT_EQ(watch(rig, "?from=" + std::to_string(next)).ids(1), std::to_string(next + 1) + "-0 ");
}

TEST(Watch, SharesItsBytesAmongAllWatchers) {
  ApiRig rig;
  const Offset next = rig.cell.position() + 1;
  rig.cell.append({session_requested("s1")});
  Reader one = watch(rig, "?from=" + std::to_string(next)), two = watch(rig, "?from=" + std::to_string(next));
  one.ids(1);
  two.ids(1);
  ASSERT_EQ(one.bytes.size(), 1u);
  EXPECT_EQ(one.bytes, two.bytes);
}

TEST(Watch, OneThatFellBehindTheRingCatchesUpFromTheLog) {
  api::ApiOptions options = quiet_options();
  options.events.ring_records = 4;
  ApiRig rig(small_cluster(), options);
  const Offset next = rig.cell.position() + 1;
  Reader reader = watch(rig, "");
  for (int i = 0; i < 1'000; ++i) rig.cell.append({session_requested("s" + std::to_string(i))});
  reader.ids(1'000);
  ASSERT_EQ(reader.all.size(), 1'000u);
  for (std::size_t i = 0; i < reader.all.size(); ++i)
    ASSERT_EQ(reader.all[i], std::to_string(next + i) + "-0");
}

TEST(Watch, AThousandWatchersEachSeeEveryEventOnce) {
  ApiRig rig;
  const Offset next = rig.cell.position() + 1;
  std::vector<Reader> readers;
  for (int i = 0; i < 1'000; ++i) readers.push_back(watch(rig, "?from=" + std::to_string(next)));
  for (int i = 0; i < 20; ++i) rig.cell.append({session_requested("s" + std::to_string(i))});
  for (Reader& reader : readers) {
    reader.ids(20);
    ASSERT_EQ(reader.all.size(), 20u);
    for (std::size_t i = 0; i < 20; ++i) ASSERT_EQ(reader.all[i], std::to_string(next + i) + "-0");
  }
}

TEST(Watch, IsKeptAliveByAComment) {
  api::ApiOptions options = quiet_options();
  options.events.keep_alive = std::chrono::milliseconds(10);
  ApiRig rig(small_cluster(), options);
  Reader reader = watch(rig, "");
  ASSERT_TRUE(reader.pull());
  ASSERT_TRUE(reader.pull());
  EXPECT_EQ(reader.last, ": ok\n\n");
  EXPECT_FALSE(reader.ended);
}

TEST(Watch, FollowsOneSessionWithItsKernels) {
  ApiRig rig;
  const Offset next = rig.cell.position() + 1;
  rig.cell.append(pair("s1", "s2"));
  rig.cell.append({session_scheduled("s2", "a1")});
  rig.cell.append({session_scheduled("s1", "a1")});
  rig.cell.append({kernel_running(kernel_name("s2"))});
  rig.cell.append({kernel_running(kernel_name("s1"))});
  Reader reader =
      watch(rig, "?session=" + to_string(session_id("s1")) + "&from=0&to=" + std::to_string(next + 4));
  reader.ids(100);
  EXPECT_EQ(reader.all,
            (std::vector<std::string>{std::to_string(next) + "-0", std::to_string(next + 2) + "-0",
                                      std::to_string(next + 4) + "-0"}));
}

TEST(Watch, FiltersByType) {
  ApiRig rig;
  Reader reader =
      watch(rig, "?from=0&type=AgentJoined,SlotTypeRegistered&to=" + std::to_string(rig.cell.position()));
  reader.ids(100);
  EXPECT_EQ(reader.all.size(), 5u);
}

TEST(Watch, EndsWhenTheServerStops) {
  ApiRig rig;
  Reader reader = watch(rig, "");
  ASSERT_TRUE(reader.pull());
  std::thread stopper([&] { rig.api.stop(); });
  while (!reader.ended && reader.pull()) {}
  stopper.join();
  EXPECT_TRUE(reader.ended);
}

// The workers drop what is queued when they stop: here the read of the second stream.
TEST(Watch, EndsWhenTheServerStopsThoughItsReadOfTheLogWasDropped) {
  api::ApiOptions options = quiet_options();
  options.turns.scans = 1;
  ApiRig rig(small_cluster(), options);
  std::promise<void> reading, go_on;
  std::atomic<bool> first = true;
  rig.cell.on_read = [&, released = go_on.get_future().share()] {
    if (first.exchange(false)) reading.set_value();
    released.wait();
  };
  Reader one = watch(rig, "?from=0"), two = watch(rig, "?from=0");
  ASSERT_TRUE(one.pull());
  ASSERT_TRUE(two.pull());  // their first comments; now each waits for its read
  std::thread puller([&] { one.pull(); });
  reading.get_future().wait();
  std::thread second([&] {
    while (!two.ended && two.pull()) {}
  });
  std::thread stopper([&] { rig.api.stop(); });
  second.join();
  EXPECT_TRUE(two.ended);
  go_on.set_value();
  puller.join();
  stopper.join();
}

TEST(Watch, F13_EndsWithAnErrorWhenTheJournalLostWhatItShowed) {
  ApiRig rig;
  Reader reader = watch(rig, "");
  ASSERT_TRUE(reader.pull());
  rig.cell.lose_journal();
  while (!reader.ended && reader.pull()) {}
  EXPECT_TRUE(reader.ended);
  EXPECT_TRUE(reader.last.starts_with("event: error\n")) << reader.last;
  EXPECT_NE(reader.last.find("log-truncated"), std::string::npos) << reader.last;
}

TEST(MinPosition, F13_IsNotReachedByWhatWasReadBeforeTheJournalWasLost) {
  ApiRig rig;
  const std::string last = std::to_string(rig.cell.position());
  EXPECT_EQ(rig.ask({.target = "/v1/sessions?min_position=" + last}).status, 200u);
  rig.cell.lose_journal();
  EXPECT_EQ(rig.ask({.target = "/v1/sessions?wait=10ms&min_position=" + last}).status, 504u);
}

TEST(Watch, RefusesAPlaceThatIsNone) {
  ApiRig rig;
  for (const std::string query : {"?from=-1", "?from=x", "?after=17", "?to=x", "?session=nobodys"})
    EXPECT_GE(rig.ask({.target = "/v1/events" + query, .accept = "text/event-stream"}).status, 400u) << query;
  EXPECT_EQ(rig.ask({.target = "/v1/events", .accept = "text/event-stream", .last_event_id = "x"}).status,
            400u);
}

TEST(EventPage, GoesThroughTheJournalByTokens) {
  ApiRig rig;
  rig.cell.append(pair("s1", "s2"));
  std::vector<std::string> ids;
  std::string token;
  do {
    const auto page = ApiRig::json_of(
        rig.ask({.target = "/v1/events?limit=3" + (token.empty() ? "" : "&page_token=" + token)}));
    for (const auto& event : page.at("events").as_array()) ids.emplace_back(event.at("id").as_string());
    token = page.at("next_page_token").is_null() ? "" : std::string(page.at("next_page_token").as_string());
  } while (!token.empty());
  const Offset last = rig.cell.position();
  ASSERT_EQ(ids.size(), last + 2);
  for (Offset i = 0; i < last; ++i) EXPECT_EQ(ids[i], std::to_string(i) + "-0");
  EXPECT_EQ(ids.back(), std::to_string(last) + "-1");
}

// A session that left the state: its kernels are known from history, wherever one begins to read.
class PastSession : public ::testing::Test {
 protected:
  void SetUp() override {
    first_ = rig_.cell.position() + 1;
    rig_.cell.append({session_requested("s1")});
    rig_.cell.append({session_scheduled("s1", "a1")});
    rig_.cell.append({kernel_running(kernel_name("s1"))});
    projections::HistoryEntry entry;
    rig_.cell.with_state([&](const controller::StateView& view) {
      entry.session = *view.state.sessions.find(session_id("s1"));
      entry.kernels = {*view.state.kernels.find(kernel_id(kernel_name("s1")))};
    });
    rig_.cell.append({session_terminating("s1")});
    rig_.cell.append({kernel_terminated(kernel_name("s1"), v1::STOPPED)});
    rig_.cell.advance(projections::kHistoryAfter + kSecond);
    rig_.cell.append({session_requested("s2")});
    rig_.cell.keep(entry);
    past_ = entry.session;
    for (Offset i = 0; i < 5; ++i) ids_.push_back(std::to_string(first_ + i) + "-0");
  }
  std::string query() const { return "session=" + to_string(session_id("s1")); }

  ApiRig rig_;
  Offset first_ = 0;
  projections::SessionRow past_;
  std::vector<std::string> ids_;
};

TEST_F(PastSession, F14_GivesAllItsEventsWhateverTheLimit) {
  rig_.cell.with_state([&](const controller::StateView& view) {
    ASSERT_EQ(view.state.sessions.find(session_id("s1")), nullptr) << "it is history";
  });
  for (const std::string limit : {"1", "2", "100"}) {
    std::vector<std::string> ids;
    std::string token;
    do {
      const auto page = ApiRig::json_of(rig_.ask({.target = "/v1/events?" + query() + "&limit=" + limit +
                                                            (token.empty() ? "" : "&page_token=" + token)}));
      for (const auto& event : page.at("events").as_array()) ids.emplace_back(event.at("id").as_string());
      token = page.at("next_page_token").is_null() ? "" : std::string(page.at("next_page_token").as_string());
    } while (!token.empty());
    EXPECT_EQ(ids, ids_) << "limit " << limit;
  }
}

TEST_F(PastSession, F14_AStreamThatResumesGivesItsKernelsEventsToo) {
  Reader reader = watch(rig_, "?" + query() + "&to=" + std::to_string(first_ + 4), ids_[1]);
  reader.ids(100);
  EXPECT_EQ(reader.all, std::vector<std::string>(ids_.begin() + 2, ids_.end()));
}

// Its kernels are named after its roles and the elections that placed it, so those of its earlier attempts
// are known too.
TEST_F(PastSession, F14_KnowsTheKernelsOfEveryAttempt) {
  ASSERT_EQ(past_.placed_in.size(), 1u);
  past_.placed_in.push_back(id_of("a later election"));
  api::EventFilter filter;
  filter.add_kernels(past_);
  for (const Uuid& election : past_.placed_in) {
    const KernelId kernel = projections::derive_kernel_id(session_id("s1"), election, "main", 1);
    EXPECT_TRUE(filter.kernels.contains(std::string(kernel.view())));
  }
}

TEST_F(PastSession, ItsOwnEventsAreInTheListOfItsOwnerAlone) {
  const auto listed = [&](const char* key) {
    std::vector<std::string> ids;
    const auto page = ApiRig::json_of(
        rig_.ask({.target = "/v1/events?limit=1000&from=" + std::to_string(first_), .key = key}));
    for (const auto& event : page.at("events").as_array()) ids.emplace_back(event.at("id").as_string());
    return ids;
  };
  // Of the kernels' events nobody but the session's own list knows whose they are.
  EXPECT_EQ(listed("alice-key"),
            (std::vector<std::string>{ids_[0], ids_[1], ids_[3], std::to_string(first_ + 5) + "-0"}));
  EXPECT_TRUE(listed("bob-key").empty());
  Reader reader =
      watch(rig_, "?from=" + std::to_string(first_) + "&to=" + std::to_string(first_ + 4), "", "bob-key");
  reader.ids(100);
  EXPECT_TRUE(reader.all.empty());
}

v1::Event alice_with(bool admin, bool disabled = false) {
  v1::Event event = user_defined("alice");
  if (admin) event.mutable_user_defined()->add_admin_of("default");
  event.mutable_user_defined()->set_disabled(disabled);
  return event;
}

Events of_bob(const std::string& name) { return {session_requested(name, Spec(), "bob")}; }

TEST(StreamRights, AMembershipThatIsTakenAwayInMidStreamShowsNothingMoreOfOthers) {
  ApiRig rig(small_cluster() + Events{alice_with(true)});
  rig.cell.append(of_bob("s1"));
  Reader all = watch(rig, "", "", "alice-key");
  Reader one = watch(rig, "?session=" + to_string(session_id("s1")), "", "alice-key");
  rig.cell.append({session_reason_changed("s1", "no-capacity", "cpu")});
  all.ids(1);
  one.ids(1);
  EXPECT_EQ(all.all.size(), 1u);
  EXPECT_EQ(one.all.size(), 1u);
  rig.cell.append({alice_with(false)});
  rig.cell.append({session_reason_changed("s1", "no-capacity", "mem")});
  rig.cell.append({session_requested("s2")});
  rig.cell.append({password_set("alice")});
  all.ids(4);
  EXPECT_EQ(all.all.size(), 4u) << "the own change, session and password";
  while (!one.ended && one.pull()) {}
  EXPECT_EQ(one.all.size(), 1u);
  EXPECT_NE(one.last.find("rights-changed"), std::string::npos) << one.last;
}

TEST(StreamRights, WhoIsDisabledOrWhoseKeyEndsIsCutOffAtThatEvent) {
  const auto last_of = [](const v1::Event& change, const char* key) {
    ApiRig rig;
    Reader reader = watch(rig, "", "", key);
    rig.cell.append({change});
    rig.cell.append({session_requested("s1")});
    while (!reader.ended && reader.pull()) {}
    EXPECT_TRUE(reader.ended);
    for (const std::string& frame : reader.all)
      EXPECT_LE(frame, std::to_string(rig.cell.position() - 1) + "-0");
    return reader.last;
  };
  v1::Event off = key_pair_defined("admin-key", "admin");
  off.mutable_key_pair_defined()->set_active(false);
  for (const auto& last : {last_of(alice_with(false, true), "alice-key"), last_of(off, "admin-key"),
                           last_of(definition_removed("key", "admin-key"), "admin-key")})
    EXPECT_NE(last.find("signed-out"), std::string::npos) << last;
}

// Rights are those of now: what the journal says of earlier ones opens nothing.
TEST(StreamRights, TheRightsThatOneHadAreNotThoseByWhichThePastIsRead) {
  ApiRig rig(small_cluster() + Events{alice_with(true)});
  rig.cell.append(of_bob("s1"));
  rig.cell.append({alice_with(false)});
  rig.cell.append({session_requested("s2")});
  const auto page =
      ApiRig::json_of(rig.ask({.target = "/v1/events?type=SessionRequested", .key = "alice-key"}));
  EXPECT_EQ(page.at("events").as_array().size(), 1u);
  Reader reader =
      watch(rig, "?from=0&type=SessionRequested&to=" + std::to_string(rig.cell.position()), "", "alice-key");
  reader.ids(10);
  EXPECT_EQ(reader.all.size(), 1u);
}

TEST(EventPage, TellsWhoWhenAndWhatForPeople) {
  ApiRig rig;
  ASSERT_EQ(rig.ask({.method = "POST",
                     .target = "/v1/sessions",
                     .body = R"({"name": "demo", "resources": {"cpu": "1", "mem": "1g"}})"})
                .status,
            201u);
  const auto page = ApiRig::json_of(rig.ask({.target = "/v1/events?type=SessionRequested"}));
  const auto& event = page.at("events").at(0);
  EXPECT_EQ(event.at("actor").as_string(), "user:admin");
  EXPECT_NE(std::string(event.at("text").as_string()).find("demo"), std::string::npos);
  EXPECT_EQ(event.at("data").at("owner").at("user").as_string(), "admin");
  EXPECT_FALSE(event.at("request_id").is_null());
}

// What is not there, or far back, is looked for in many short turns.
TEST(EventPages, P33_APageLooksAtABoundedNumberOfRecordsAndGoesOnByItsToken) {
  constexpr int kRecords = 40'000;
  ApiRig rig;
  for (int i = 0; i < kRecords; ++i) rig.cell.append({clock_confirmed()});
  rig.cell.append({session_requested("late")});
  std::string token;
  int pages = 0;
  std::size_t found = 0;
  do {
    const auto page = ApiRig::json_of(rig.ask({.target = "/v1/events?from=0&type=SessionRequested" +
                                                         (token.empty() ? "" : "&page_token=" + token)}));
    found += page.at("events").as_array().size();
    token = page.at("next_page_token").is_null() ? "" : std::string(page.at("next_page_token").as_string());
    ++pages;
  } while (!token.empty() && pages < 100);
  EXPECT_EQ(found, 1u);
  EXPECT_EQ(pages, 3);
}

TEST(EventPages, NothingSealedAndNoHashOfASecretLeaves) {
  ApiRig rig;
  rig.cell.append(
      {password_set("alice"), login_link_issued("alice"), browser_session_started("b1", "alice")});
  const auto reply = rig.ask({.target = "/v1/events?limit=1000"});
  for (const char* field : {"hash", "token_hash", "secret_hash", "secret"})
    EXPECT_NE(reply.body.find("\"" + std::string(field) + "\":\"sealed\""), std::string::npos) << field;
  EXPECT_EQ(reply.body.find("\"box\":"), std::string::npos);
}

}  // namespace
}  // namespace berth::testing
