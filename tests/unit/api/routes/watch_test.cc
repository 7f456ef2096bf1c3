// Rows watched: a client that follows the recipe shows what GET answers, wherever it is cut off.
#include <gtest/gtest.h>

#include <algorithm>

#include "controller/decide/decide.h"
#include "events/codec/envelope.h"
#include "tests/support/limits.h"
#include "tests/support/random_cluster.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

namespace json = boost::json;
using Table = std::map<std::string, json::value>;

api::ApiOptions quick() {
  api::ApiOptions options;
  options.rows.gap = std::chrono::milliseconds(1);
  options.rows.row_gap = std::chrono::milliseconds(4);
  options.rows.position = std::chrono::milliseconds(50);
  return options;
}

struct FrameRead {
  std::string event;
  std::string id;
  json::object data;
};

FrameRead parse_frame(const std::string& text) {
  FrameRead out;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (line.starts_with("event: ")) out.event = line.substr(7);
    if (line.starts_with("id: ")) out.id = line.substr(4);
    if (line.starts_with("data: ")) out.data = json::parse(line.substr(6)).as_object();
    at = end + 1;
  }
  return out;
}

// What changes without an event of its row, and what is the caller's alone.
void drop_asides(json::value& row) {
  row.as_object().erase("queue_position");
  row.as_object().erase("env");
}

// A console's model of one table.
class Client {
 public:
  Client(ApiRig& rig, std::string table, std::string filter, std::string key = "alice-key")
      : rig_(rig), table_(std::move(table)), filter_(std::move(filter)), key_(std::move(key)) {
    begin();
  }

  // As the recipe says: the stream first, then the list at its first position.
  void begin() {
    open("");
    while (!position && pull()) {}
    ASSERT_TRUE(position);
    rows = listed("&min_position=" + std::to_string(*position));
  }
  void open(const std::string& after) {
    const auto reply = rig_.ask({.target = "/v1/watch?tables=" + table_ + filter_ + after, .key = key_});
    EXPECT_EQ(reply.status, 200u) << reply.body;
    stream_ = reply.stream;
    position.reset();
    ended = false;
  }
  // Cut off, and on from the last position that was told.
  void cut() {
    const Offset from = *position;
    open("&after=" + std::to_string(from));
    position = from;
  }
  // Takes one batch of frames; false where none came.
  bool pull() {
    if (ended) return false;
    auto promise = std::make_shared<std::promise<api::FrameStream::Batch>>();
    stream_->next([promise](api::FrameStream::Batch batch) { promise->set_value(std::move(batch)); });
    auto future = promise->get_future();
    if (future.wait_for(std::chrono::seconds(20)) != std::future_status::ready) return false;
    const auto batch = future.get();
    for (const auto& frame : batch.frames) take(parse_frame(*frame));
    for (const auto& frame : batch.frames) bytes.push_back(frame.get());
    ended = batch.end;
    return true;
  }
  // Until all up to `wanted` is told; a stream that says restart is begun anew.
  void reach(Offset wanted) {
    while (!position || *position < wanted) {
      if (ended)
        begin();
      else
        ASSERT_TRUE(pull());
    }
  }
  Table listed(const std::string& more = "") {
    const std::string list = table_ == "browser_sessions"
                                 ? "/v1/browser-sessions?user=" + key_.substr(0, key_.find('-'))
                                 : "/v1/" + table_ + "?limit=1000";
    const auto reply = rig_.ask({.target = list + filter_ + more, .key = key_});
    EXPECT_EQ(reply.status, 200u) << reply.body;
    Table out;
    const json::value body = ApiRig::json_of(reply);
    for (json::value row : body.at(table_).as_array()) {
      drop_asides(row);
      out[key_of(row.as_object())] = row;
    }
    return out;
  }

  Table rows;
  std::vector<FrameRead> frames;
  std::vector<const void*> bytes;
  std::optional<Offset> position;
  std::string restart;
  bool ended = false;

 private:
  std::string key_of(const json::object& row) const {
    const auto text = [&](const char* name) { return std::string(row.at(name).as_string()); };
    if (table_ == "limits") return text("scope") + "/" + text("id");
    if (table_ == "projects") return text("domain") + "/" + text("name");
    if (table_ == "sessions" || table_ == "browser_sessions") return text("id");
    return table_ == "images" ? text("reference") : text("name");
  }
  void take(FrameRead frame) {
    if (frame.event.empty()) return;
    if (frame.event == "position") position = frame.data.at("position").to_number<Offset>();
    if (frame.event == "restart") restart = frame.data.at("code").as_string();
    if (frame.event == "gone") rows.erase(std::string(frame.data.at("key").as_string()));
    if (frame.event == "put") {
      json::value row = frame.data.at("row");
      EXPECT_EQ(key_of(row.as_object()), frame.data.at("key").as_string());
      drop_asides(row);
      rows[std::string(frame.data.at("key").as_string())] = row;
    }
    frames.push_back(std::move(frame));
  }

  ApiRig& rig_;
  const std::string table_, filter_, key_;
  std::shared_ptr<api::FrameStream> stream_;
};

// Ended sessions that left the state stay with the client; the fake cell keeps no history.
void expect_equal(const Table& shown, const Table& listed, const std::string& where) {
  for (const auto& [key, row] : listed) {
    const auto found = shown.find(key);
    ASSERT_TRUE(found != shown.end()) << where << ": lacks " << json::serialize(row);
    ASSERT_EQ(found->second, row) << where;
  }
  for (const auto& [key, row] : shown)
    if (!listed.contains(key)) {
      ASSERT_TRUE(row.as_object().contains("ended_at")) << where << ": still has " << json::serialize(row);
      ASSERT_FALSE(row.at("ended_at").is_null()) << where << ": still has " << json::serialize(row);
    }
}

// The applied records of a random journal.
std::vector<v1::Record> random_records(std::uint64_t seed, int count) {
  TestJournal journal;
  projections::Projection projection(test_cluster(), projections::Projection::Tracking::kNone);
  RandomCluster(seed).run(journal, projection, count);
  projections::Projection again(test_cluster(), projections::Projection::Tracking::kNone);
  std::vector<v1::Record> records;
  for (const std::string& payload : journal.payloads())
    if (again.apply(again.chain().next(), payload).applied() && again.record().header().sequence() != 0)
      records.push_back(again.record());
  return records;
}

Events events_of(const v1::Record& record) { return {record.events().begin(), record.events().end()}; }

// Definitions and keys alone.
Events without_agents() {
  Events events = small_cluster();
  std::erase_if(events, [](const v1::Event& e) { return e.has_agent_enrolled() || e.has_agent_joined(); });
  return events;
}

struct Watched {
  const char* table;
  const char* filter;
  const char* key;
};

TEST(WatchRows, AfterAnyCutTheTableEqualsGetAtThatPosition) {
  const Watched all[] = {{"sessions", "&state=all", "alice-key"},
                         {"sessions", "&state=live", "admin-key"},
                         {"sessions", "&state=PENDING,RUNNING&group=default", "admin-key"},
                         {"agents", "", "admin-key"},
                         {"limits", "", "admin-key"}};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto records = random_records(seed, 150);
    ApiRig rig(without_agents(), quick());
    rig.cell.append(events_of(records[0]));
    rig.cell.append(
        {Limit("user", "alice").slot("cpu", 100 * kUnit), Limit("domain", "default").pending(1000)});
    std::vector<std::unique_ptr<Client>> clients;
    for (const Watched& w : all) clients.push_back(std::make_unique<Client>(rig, w.table, w.filter, w.key));
    Rng rng(seed);
    for (std::size_t i = 1; i < records.size(); ++i) {
      rig.cell.advance(records[i].header().time_ns() - records[i - 1].header().time_ns());
      rig.cell.append(events_of(records[i]));
      if (!rng.chance(1, 8)) continue;
      for (std::size_t k = 0; k < clients.size(); ++k) {
        const std::string where = "seed " + std::to_string(seed) + ", record " + std::to_string(i) + ", " +
                                  all[k].table + all[k].filter;
        if (rng.chance(1, 2)) {
          clients[k]->reach(rig.cell.position());
          ASSERT_NO_FATAL_FAILURE(expect_equal(clients[k]->rows, clients[k]->listed(), where));
        } else if (rng.chance(1, 2) && clients[k]->position) {
          clients[k]->pull();
          if (clients[k]->position && !clients[k]->ended) clients[k]->cut();
        }
      }
    }
  }
}

// Of alice and of bob; the administrator sees only their own there, too.
TEST(WatchRows, BrowserSessionsEqualWhatGetShowsTheirUserAfterAnyCut) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ApiRig rig(small_cluster(), quick());
    std::vector<std::unique_ptr<Client>> clients;
    for (const char* key : {"alice-key", "bob-key", "admin-key"})
      clients.push_back(std::make_unique<Client>(rig, "browser_sessions", "", key));
    Rng rng(seed);
    std::map<std::string, std::string> live;  // whose each is
    int told = 0;
    for (int i = 0; i < 120; ++i) {
      const std::string name = "b" + std::to_string(rng.below(12));
      if (!live.contains(name)) {
        live[name] = rng.chance(1, 2) ? "alice" : "bob";
        rig.cell.append({browser_session_started(name, live[name])});
      } else if (rng.chance(1, 2)) {
        rig.cell.append({browser_session_used(name, kTestStart + (i + 1) * kSecond)});
      } else {
        rig.cell.append({browser_session_ended(name, live[name])});
        live.erase(name);
      }
      Client& client = *clients[rng.below(clients.size())];
      if (rng.chance(1, 3)) {
        client.reach(rig.cell.position());
        ASSERT_EQ(client.rows, client.listed()) << "seed " << seed << ", step " << i;
        told += static_cast<int>(client.rows.size());
      } else if (rng.chance(1, 3) && client.position) {
        client.pull();
        if (client.position && !client.ended) client.cut();
      }
    }
    EXPECT_GT(told, 10);
    EXPECT_TRUE(clients[2]->rows.empty());
  }
}

TEST(WatchRows, ABrowserSessionThatNobodyUsesIsGoneWhenItsTimeIsOver) {
  api::ApiOptions options = quick();
  options.sign_in.idle = kHour;
  ApiRig rig(small_cluster(), options);
  Client alice(rig, "browser_sessions", "");
  rig.cell.append({browser_session_started("b1", "alice"), browser_session_started("b2", "alice")});
  rig.cell.append({browser_session_used("b2", kTestStart + kHour)});
  alice.reach(rig.cell.position());
  EXPECT_EQ(alice.rows.size(), 2u);
  rig.cell.test_clock.wall += kHour + kMinute;
  while (alice.rows.size() == 2 && alice.pull()) {}
  EXPECT_EQ(alice.rows, alice.listed());
  EXPECT_EQ(alice.rows.size(), 1u);
}

TEST(WatchRows, BeginsWithItsPositionAndTellsARowAsGetGivesIt) {
  ApiRig rig(small_cluster(), quick());
  Client client(rig, "sessions", "");
  ASSERT_EQ(client.frames.size(), 1u);
  EXPECT_EQ(client.frames[0].event, "position");
  rig.cell.append({session_requested("s1")});
  client.reach(rig.cell.position());
  ASSERT_EQ(client.rows.size(), 1u);
  json::value got = ApiRig::json_of(rig.ask({.target = "/v1/sessions/s1", .key = "alice-key"}));
  drop_asides(got);
  EXPECT_EQ(client.rows.begin()->second, got);
  EXPECT_EQ(client.frames[1].id, std::to_string(rig.cell.position()));
}

TEST(WatchRows, ASessionThatEndsIsGoneFromTheLiveOnesAndStaysAmongAll) {
  ApiRig rig(small_cluster(), quick());
  rig.cell.append({session_requested("s1")});
  Client live(rig, "sessions", ""), all(rig, "sessions", "&state=all");
  EXPECT_EQ(live.rows.size(), 1u);  // from the list: no frame told it
  rig.cell.append({session_cancelled("s1")});
  live.reach(rig.cell.position());
  all.reach(rig.cell.position());
  EXPECT_TRUE(live.rows.empty());
  ASSERT_EQ(all.rows.size(), 1u);
  EXPECT_EQ(all.rows.begin()->second.at("status").as_string(), "CANCELLED");
}

TEST(WatchRows, WhatIsNotYoursIsNeitherPutNorGone) {
  ApiRig rig(small_cluster(), quick());
  Client bob(rig, "sessions", "", "bob-key");
  rig.cell.append({session_requested("s1")});
  rig.cell.append({session_cancelled("s1")});
  bob.reach(rig.cell.position());
  for (const auto& frame : bob.frames) EXPECT_EQ(frame.event, "position");
}

TEST(WatchRows, ASessionThatWasPreemptedNamesTheOtherOneToWhoSeesAll) {
  ApiRig rig(small_cluster(), quick());
  Client alice(rig, "sessions", ""), admin(rig, "sessions", "", "admin-key");
  rig.cell.append({session_requested("low"), session_requested("high", Spec(), "bob")});
  rig.cell.append({session_scheduled("low", {{"a1", {}}})});
  rig.cell.append({session_preempted("low", "high")});
  const std::string low = to_string(session_id("low")), high = to_string(session_id("high"));
  for (Client* client : {&alice, &admin}) client->reach(rig.cell.position());
  EXPECT_EQ(alice.rows.at(low).at("preempted_for"), nullptr);
  EXPECT_EQ(admin.rows.at(low).at("preempted_for"), json::value(high));
}

TEST(WatchRows, ASessionIsToldAgainWhenItsAgentGoesAndWhenItIsBack) {
  ApiRig rig(small_cluster(), quick());
  Client alice(rig, "sessions", "");
  rig.cell.append(
      {session_requested("s1"), session_scheduled("s1", "a1"), kernel_running(kernel_name("s1"))});
  alice.reach(rig.cell.position());
  const std::string id = to_string(session_id("s1"));
  EXPECT_TRUE(alice.rows.at(id).at("agent_gone").is_null());
  EXPECT_TRUE(alice.listed("").at(id).at("agent_gone").is_null());
  for (const auto& [event, state] : {std::pair{agent_lost("a1"), "LOST"}, {agent_left("a1", 2), "LEFT"}}) {
    if (event.has_agent_left()) rig.cell.append({agent_joined("a1", 8, 16 * kGiga, {}, 2)});
    rig.cell.append({event});
    alice.reach(rig.cell.position());
    for (const json::value& row : {alice.rows.at(id), alice.listed("").at(id)}) {
      EXPECT_EQ(row.at("status").as_string(), "RUNNING");
      EXPECT_EQ(row.at("agent_gone").at("agent").as_string(), "a1");
      EXPECT_EQ(row.at("agent_gone").at("state").as_string(), state);
      EXPECT_TRUE(row.at("agent_gone").at("since").is_string());
    }
  }
  rig.cell.append({agent_joined("a1", 8, 16 * kGiga, {}, 3)});
  alice.reach(rig.cell.position());
  EXPECT_TRUE(alice.rows.at(id).at("agent_gone").is_null());
  EXPECT_TRUE(alice.listed("").at(id).at("agent_gone").is_null());
}

TEST(WatchRows, OthersKernelsAreNotNamedOnAnAgent) {
  ApiRig rig(small_cluster(), quick());
  Client admin(rig, "agents", "", "admin-key"), bob(rig, "agents", "", "bob-key");
  rig.cell.append({session_requested("s1"), session_scheduled("s1", "a1")});
  admin.reach(rig.cell.position());
  bob.reach(rig.cell.position());
  EXPECT_EQ(admin.rows.at("a1").at("kernels").as_array().size(), 1u);
  EXPECT_TRUE(bob.rows.at("a1").at("kernels").as_array().empty());
  EXPECT_EQ(bob.rows.at("a1").at("slots"), admin.rows.at("a1").at("slots"));
}

TEST(WatchRows, ManyChangesOfARowAreToldAtMostTenTimesASecond) {
  ApiRig rig;  // with the gaps of a real server
  rig.cell.append({session_requested("s1")});
  Client client(rig, "sessions", "", "admin-key");
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 400; ++i) {
    rig.cell.append({session_reason_changed("s1", "no-capacity", i % 2 == 0 ? "cpu" : "mem")});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  client.reach(rig.cell.position());
  const auto tenths = (std::chrono::steady_clock::now() - began) / std::chrono::milliseconds(100);
  const auto puts = std::count_if(client.frames.begin(), client.frames.end(),
                                  [](const auto& frame) { return frame.event == "put"; });
  EXPECT_GE(puts, 2);
  EXPECT_LE(puts, tenths + 2);
  EXPECT_EQ(client.rows.begin()->second.at("reason").at("slot").as_string(), "mem");
}

TEST(WatchRows, AProjectIsToldAtMostTenTimesASecondHoweverManySessionsItStarts) {
  ApiRig rig;  // with the gaps of a real server
  Client client(rig, "projects", "", "admin-key");
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 400; ++i) {
    rig.cell.append({session_requested("s" + std::to_string(i))});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  client.reach(rig.cell.position());
  const auto tenths = (std::chrono::steady_clock::now() - began) / std::chrono::milliseconds(100);
  const auto puts = std::count_if(client.frames.begin(), client.frames.end(),
                                  [](const auto& frame) { return frame.event == "put"; });
  EXPECT_GE(puts, 2);
  EXPECT_LE(puts, tenths + 2);
  EXPECT_EQ(client.rows.at("default/default").at("sessions").as_int64(), 400);
}

// Each start of a session changes rows of its user, project and domain: they cost nothing where nobody looks.
TEST(WatchRows, RowsOfATableThatNobodyWatchesAreNotKept) {
  ApiRig rig(small_cluster(), quick());
  Client sessions(rig, "sessions", ""), projects(rig, "projects", "");
  const std::string after = "&after=" + std::to_string(rig.cell.position());
  rig.cell.append({session_requested("s1")});
  sessions.reach(rig.cell.position());
  projects.reach(rig.cell.position());
  Client late(rig, "users", "");
  late.open(after);
  while (late.pull()) {}
  EXPECT_EQ(late.restart, "too-old");
  projects.open(after);
  projects.reach(rig.cell.position());
  EXPECT_EQ(projects.restart, "") << "of this one all is there";
}

TEST(WatchRows, WatchersOfTheSameRowShareItsBytes) {
  ApiRig rig(small_cluster(), quick());
  Client one(rig, "sessions", "", "admin-key"), two(rig, "sessions", "&state=all", "alice-key");
  rig.cell.append({session_requested("s1")});
  one.reach(rig.cell.position());
  two.reach(rig.cell.position());
  ASSERT_EQ(one.frames.at(1).event, "put");
  EXPECT_EQ(one.bytes.at(1), two.bytes.at(1));
}

TEST(WatchRows, AReaderThatFellBehindIsToldToBeginAnew) {
  api::ApiOptions options = quick();
  options.rows.rows = 10;
  ApiRig rig(small_cluster(), options);
  Client slow(rig, "sessions", ""), fast(rig, "sessions", "");
  for (int i = 0; i < 100; ++i) {
    rig.cell.append({session_requested("s" + std::to_string(i))});
    fast.reach(rig.cell.position());
  }
  EXPECT_EQ(fast.rows.size(), 100u);
  while (slow.pull()) {}
  EXPECT_EQ(slow.restart, "too-old");
  slow.begin();
  EXPECT_EQ(slow.rows.size(), 100u);
}

TEST(WatchRows, APositionThatIsNotInMemoryIsTooOld) {
  ApiRig rig(small_cluster(), quick());
  rig.cell.append({session_requested("s1")});
  Client client(rig, "sessions", "");
  client.open("&after=1");
  while (client.pull()) {}
  EXPECT_EQ(client.restart, "too-old");
}

TEST(WatchRows, ATableThatNobodyWatchedBeforeIsKnownFromThenOn) {
  ApiRig rig(small_cluster(), quick());
  Client sessions(rig, "sessions", "");
  const Offset before = *sessions.position;
  rig.cell.append({agent_drain_changed("a1", true)});
  Client agents(rig, "agents", "", "admin-key");
  rig.cell.append({agent_drain_changed("a1", false), session_requested("s1")});
  agents.reach(rig.cell.position());
  sessions.reach(rig.cell.position());
  EXPECT_EQ(agents.rows, agents.listed());
  EXPECT_EQ(sessions.rows, sessions.listed());
  agents.open("&after=" + std::to_string(before));
  while (agents.pull()) {}
  EXPECT_EQ(agents.restart, "too-old") << "the first change of the agent was not followed";
}

TEST(WatchRows, AJournalThatIsReadAgainEndsTheStream) {
  ApiRig rig(small_cluster(), quick());
  Client client(rig, "sessions", "");
  rig.cell.lose_journal();
  while (client.pull()) {}
  EXPECT_EQ(client.restart, "rebuilt");
}

TEST(WatchRows, RightsThatChangeEndTheStreamsOfThatUserAlone) {
  ApiRig rig(small_cluster(), quick());
  const auto change = [&](const v1::Event& event) {
    Client alice(rig, "sessions", "", "alice-key"), bob(rig, "sessions", "", "bob-key");
    rig.cell.append({event});
    while (alice.pull()) {}
    rig.cell.append({session_requested("of bob " + std::to_string(rig.cell.position()), Spec(), "bob")});
    bob.reach(rig.cell.position());
    EXPECT_FALSE(bob.ended);
    return alice.restart;
  };
  v1::Event moved = user_defined("alice");
  moved.mutable_user_defined()->add_admin_of("default");
  EXPECT_EQ(change(moved), "rights-changed");
  EXPECT_EQ(change(password_set("alice")), "rights-changed");
  v1::Event off = user_defined("alice");
  off.mutable_user_defined()->set_disabled(true);
  EXPECT_EQ(change(off), "signed-out");
  Client bob(rig, "sessions", "", "bob-key");
  rig.cell.append({definition_removed("key", "bob-key")});
  while (bob.pull()) {}
  EXPECT_EQ(bob.restart, "signed-out");
}

TEST(WatchRows, AGroupThatIsOpenToOthersNowBeginsTheStreamsOfUsersAnew) {
  ApiRig rig(small_cluster(), quick());
  Client alice(rig, "agents", ""), admin(rig, "agents", "", "admin-key");
  v1::Event group = group_defined("default");
  auto* scope = group.mutable_resource_group_defined()->add_open_to();
  scope->set_scope(v1::SCOPE_KIND_USER);
  scope->set_id("bob");
  rig.cell.append({group});
  while (alice.pull()) {}
  EXPECT_EQ(alice.restart, "rights-changed");
  rig.cell.append({agent_drain_changed("a1", true)});
  admin.reach(rig.cell.position());
  EXPECT_TRUE(admin.restart.empty());
}

TEST(WatchRows, RefusesTablesAndFiltersThatAreNone) {
  ApiRig rig;
  const auto code = [&](const std::string& query) {
    return ApiRig::code_of(rig.ask({.target = "/v1/watch" + query}));
  };
  EXPECT_EQ(code(""), "invalid-parameter");
  EXPECT_EQ(code("?tables=secrets"), "invalid-parameter");
  EXPECT_EQ(code("?tables=sessions&state=WALKING"), "invalid-parameter");
  EXPECT_EQ(code("?tables=sessions&group=nowhere"), "unknown-group");
  EXPECT_EQ(code("?tables=sessions&after=-1"), "invalid-parameter");
}

TEST(WatchRows, AWatcherThatNeverReadsEndsWithTheServer) {
  auto rig = std::make_unique<ApiRig>(small_cluster(), quick());
  const auto stream = rig->ask({.target = "/v1/watch?tables=sessions"}).stream;
  for (int i = 0; i < 50; ++i) rig->cell.append({session_requested("s" + std::to_string(i))});
  rig->api.stop();
  bool ended = false;
  for (int i = 0; i < 3 && !ended; ++i)
    stream->next([&](const api::FrameStream::Batch& batch) { ended = batch.end; });
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace berth::testing
