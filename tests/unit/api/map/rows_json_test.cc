// Rows as people see them.
#include <gtest/gtest.h>

#include "controller/api/map/agent_json.h"
#include "controller/api/map/definition_json.h"
#include "controller/api/map/event_json.h"
#include "controller/api/map/indicator.h"
#include "controller/api/map/session_json.h"
#include "controller/api/map/session_lookup.h"
#include "tests/support/given.h"

namespace berth::controller::api {
namespace {

using namespace berth::testing;     // NOLINT(google-build-using-namespace)
using berth::testing::kernel_name;  // of a test's session
using projections::SessionStatus;

// Two fGPU on one card, as in the story.
Events cluster() {
  return definitions() +
         Events{agent_enrolled("a1"), agent_joined("a1", 4, 8 * kGiga, {gpu("gpu0", 2 * kUnit)})};
}
v1::SessionSpec one_share() { return Spec().cpu(1).mem(256 * kMega).shares(kUnit); }
Events running(const std::string& name, const std::string& user = "alice") {
  return {session_requested(name, one_share(), user), session_scheduled(name, {{"a1", {{"gpu0", kUnit}}}}),
          kernel_running(kernel_name(name))};
}

// Used and total of both bars.
std::string bars(const Given& g, const std::string& slot, const std::string& user = "alice",
                 const std::string& group = "default") {
  const SlotKinds kinds(g.state());
  const auto all = indicator(g.state(), user, group);
  const SlotBars bar = all.at(slot);
  const auto text = [&](Amount amount) { return amount_text(kinds, slot, amount); };
  return text(bar.in_group()) + "/" + text(bar.in_group() + bar.remaining) + " " +
         text(bar.in_group() + bar.elsewhere) + "/" + text(bar.in_group() + bar.elsewhere + bar.remaining);
}

TEST(ImageJson, TellsWhatTheLabelsDeclare) {
  v1::ImageRegistered image;
  const auto label = [&image](const char* key, const char* value) {
    auto* added = image.add_labels();
    added->set_key(key);
    added->set_value(value);
  };
  label("berth.apps", "lab:http:8080");
  label("berth.app.lab.command", R"(["lab"])");
  label("berth.recommended.mem", "512m");
  auto told = image_to_json(image);
  EXPECT_EQ(boost::json::serialize(told.at("apps")),
            R"([{"name":"lab","title":"lab","protocol":"http","port":8080}])");
  EXPECT_TRUE(told.at("memory_min").is_null());
  EXPECT_EQ(told.at("memory_recommended").as_string(), "536870912");
  label("berth.app.lab.colour", "red");  // of a row from before labels were looked at
  told = image_to_json(image);
  EXPECT_TRUE(told.at("apps").as_array().empty());
  EXPECT_TRUE(told.at("memory_recommended").is_null());
  EXPECT_EQ(told.at("labels").as_object().size(), 4u);
}

TEST(Indicator, TellsTheStoryInBothBars) {
  Given g = given(cluster());
  EXPECT_EQ(bars(g, "cuda.shares"), "0/2 0/2");
  g.and_given(running("s1") + running("s2"));
  EXPECT_EQ(bars(g, "cuda.shares"), "2/2 2/2");
  g.and_given({session_requested("s3", one_share()), session_terminating("s1")});
  EXPECT_EQ(bars(g, "cuda.shares"), "2/2 2/2");  // PENDING counts 0, TERMINATING counts
  g.and_given({kernel_terminated(kernel_name("s1"))});
  EXPECT_EQ(bars(g, "cuda.shares"), "1/2 1/2");
  g.and_given({session_scheduled("s3", {{"a1", {{"gpu0", kUnit}}}})});
  EXPECT_EQ(bars(g, "cuda.shares"), "2/2 2/2");  // reserved counts as running does
}

TEST(Indicator, CountsOtherGroupsInTheLowerBarAlone) {
  v1::Event join = agent_joined("b1", 4, 8 * kGiga, {gpu("gpu0", kUnit)});
  join.mutable_agent_joined()->set_group("other");
  Given g = given(cluster() + Events{group_defined("other"), agent_enrolled("b1"), join} + running("s1") +
                  running("s2"));
  g.and_given({session_requested("s4", Spec().shares(kUnit).group("other")),
               session_scheduled("s4", {{"b1", {{"gpu0", kUnit}}}})});
  EXPECT_EQ(bars(g, "cuda.shares"), "2/2 3/3");
  g.and_given({kernel_terminated(kernel_name("s1"))});
  EXPECT_EQ(bars(g, "cuda.shares"), "1/2 2/3");
}

TEST(Indicator, ShowsZerosForEverySlotWhenNothingRuns) {
  Given g = given(cluster());
  EXPECT_EQ(bars(g, "cpu"), "0/4 0/4");
  EXPECT_EQ(bars(g, "mem"), "0/8589934592 0/8589934592");
  EXPECT_EQ(bars(g, "cuda.device"), "0/0 0/0");
  EXPECT_EQ(indicator(g.state(), "alice", "default").size(), g.state().slot_types.size());
}

TEST(Indicator, LeavesOutAgentsThatTakeNothingNew) {
  Given g = given(cluster() + running("s1"));
  g.and_given({agent_drain_changed("a1", true)});
  EXPECT_EQ(bars(g, "cuda.shares"), "1/1 1/1");
}

TEST(Indicator, IsOfOneUser) {
  Given g = given(cluster() + running("s1", "bob"));
  EXPECT_EQ(bars(g, "cuda.shares", "alice"), "0/1 0/1");
  EXPECT_EQ(bars(g, "cuda.shares", "bob"), "1/2 1/2");
}

TEST(Indicator, TellsReservedFromRunning) {
  Given g = given(
      cluster() + running("s1") +
      Events{session_requested("s2", one_share()), session_scheduled("s2", {{"a1", {{"gpu0", kUnit}}}})});
  const SlotBars bar = indicator(g.state(), "alice", "default").at("cuda.shares");
  EXPECT_EQ(bar.running, kUnit);
  EXPECT_EQ(bar.reserved, kUnit);
}

const projections::Actor kRoot{"root", v1::ROLE_SUPERADMIN, "default", {}, {}};

boost::json::object shown(const Given& g, const std::string& name) {
  return boost::json::parse(session_to_json(g.state(), SlotKinds(g.state()), g.session(name), kRoot))
      .as_object();
}

TEST(SessionJson, P25_AForcedEndIsShownAtOnceAndFreesNothing) {
  Given g = given(cluster() + running("s1"));
  v1::Event forced = session_terminating("s1");
  forced.mutable_session_terminating()->set_forced(true);
  g.and_given({forced});
  const auto json = shown(g, "s1");
  EXPECT_EQ(json.at("status").as_string(), "TERMINATED");
  EXPECT_EQ(json.at("exit_code"), nullptr);
  EXPECT_EQ(json.at("kernels").at(0).at("state").as_string(), "TERMINATING");
  EXPECT_EQ(bars(g, "cuda.shares"), "1/2 1/2");
  Errors errors;
  const Target target = target_of("/x?state=live");
  Query query(target, errors);
  EXPECT_FALSE(read_session_filter(query).matches(g.session("s1")));
}

TEST(SessionJson, ShowsWhatWasAskedAndWhereItStands) {
  Given g = given(cluster() + running("s1"));
  const auto json = shown(g, "s1");
  EXPECT_EQ(json.at("status").as_string(), "RUNNING");
  EXPECT_EQ(json.at("type").as_string(), "interactive");
  EXPECT_EQ(json.at("result"), nullptr);
  EXPECT_EQ(json.at("exit_code"), nullptr);
  EXPECT_EQ(json.at("resources"),
            boost::json::parse(R"({"cpu": "1", "cuda.shares": "1", "mem": "268435456"})"));
  EXPECT_EQ(json.at("owner").at("user").as_string(), "alice");
  EXPECT_EQ(json.at("agents"), boost::json::parse(R"(["a1"])"));
  const auto& kernel = json.at("kernels").at(0);
  EXPECT_EQ(kernel.at("name").as_string(), "main1");
  EXPECT_EQ(kernel.at("state").as_string(), "RUNNING");
  EXPECT_EQ(kernel.at("devices"),
            boost::json::parse(R"([{"device": "gpu0", "slot": "cuda.shares", "amount": "1"}])"));
}

TEST(SessionJson, ShowsKernelsAsTerminatingWhileTheirSessionEnds) {
  Given g = given(cluster() + running("s1") + Events{session_terminating("s1")});
  EXPECT_EQ(shown(g, "s1").at("kernels").at(0).at("state").as_string(), "TERMINATING");
}

TEST(SessionJson, ShowsTheResultAndExitCodeOfABatchSession) {
  Given g = given(cluster() + Events{session_requested("b", Spec().batch("false")),
                                     session_scheduled("b", "a1"), kernel_running(kernel_name("b")),
                                     kernel_terminated(kernel_name("b"), v1::EXITED, 3)});
  const auto json = shown(g, "b");
  EXPECT_EQ(json.at("status").as_string(), "TERMINATED");
  EXPECT_EQ(json.at("result").as_string(), "FAILED");
  EXPECT_EQ(json.at("exit_code").as_int64(), 3);
  EXPECT_EQ(json.at("kernels").at(0).at("end").as_string(), "EXITED");
}

TEST(SessionJson, AnEndThatNobodySawHasNoExitCode) {
  Given g =
      given(cluster() + running("s1") + Events{kernel_terminated(kernel_name("s1"), v1::RESULT_UNKNOWN, 0)});
  const auto session = shown(g, "s1");
  const auto& kernel = session.at("kernels").at(0);
  EXPECT_EQ(kernel.at("end").as_string(), "RESULT_UNKNOWN");
  EXPECT_EQ(kernel.at("exit_code"), nullptr);
  EXPECT_EQ(session.at("status").as_string(), "TERMINATED");
  EXPECT_EQ(session.at("exit_code"), nullptr);
}

TEST(SessionJson, OfAFencedAgentSaysWhyNobodyKnowsItsEnd) {
  v1::Event ended = kernel_terminated(kernel_name("s1"), v1::FENCED, 0);
  ended.mutable_kernel_terminated()->set_message("an operator fenced its agent");
  const auto session = shown(given(cluster() + running("s1") + Events{agent_fenced("a1"), ended}), "s1");
  EXPECT_EQ(session.at("exit_code"), nullptr);
  EXPECT_EQ(session.at("message").as_string(), "an operator fenced its agent");
}

TEST(SessionJson, ShowsForWhomAPlaceIsHeldAndWhoMakesRoom) {
  Given g = given(
      cluster() + running("low") +
      Events{session_requested("high", Spec().cpu(4).job_priority(5).session_group("web", v1::PACK, true))});
  g.when({session_preempted("low", "high"), session_reserved("high", "a1")}).then_applied();
  const auto high = shown(g, "high"), low = shown(g, "low");
  EXPECT_EQ(high.at("status").as_string(), "RESERVED");
  EXPECT_EQ(high.at("reason").at("code").as_string(), "preempting");
  EXPECT_EQ(high.at("held_on"), boost::json::parse(R"(["a1"])"));
  EXPECT_EQ(high.at("job_priority").as_int64(), 5);
  EXPECT_EQ(high.at("session_group"),
            boost::json::parse(R"({"name": "web", "rule": "pack", "strict": true})"));
  EXPECT_EQ(high.at("queue_position").to_number<int>(), 1);
  EXPECT_EQ(low.at("preempted_for").as_string(), to_string(session_id("high")));
  EXPECT_EQ(low.at("reason").at("code").as_string(), "preempted");
  EXPECT_EQ(low.at("preemptible"), true);
  EXPECT_EQ(low.at("session_group"), nullptr);
}

TEST(SessionJson, NamesThePreemptorToWhoMaySeeThatOne) {
  const Events history =
      cluster() + running("low") +
      Events{user_defined("bob"), session_requested("high", Spec().cpu(4).job_priority(5), "bob")};
  const projections::Actor root{"root", v1::ROLE_SUPERADMIN, "default", {}, {}},
      dave{"dave", v1::ROLE_DOMAIN_ADMIN, "default", {}, {}},
      alice{"alice", v1::ROLE_USER, "default", {"default"}, {}};
  Given g = given(history);
  EXPECT_FALSE(may_see_preemptor(root, g.session("low"))) << "there is none";
  g.when({session_preempted("low", "high"), session_reserved("high", "a1")}).then_applied();
  EXPECT_TRUE(may_see_preemptor(root, g.session("low")));
  EXPECT_TRUE(may_see_preemptor(dave, g.session("low")));
  EXPECT_FALSE(may_see_preemptor(alice, g.session("low")));
}

TEST(SessionJson, CountsTheQueuePerGroup) {
  Given g = given(cluster() + Events{group_defined("other"), session_requested("s1", one_share()),
                                     session_requested("s2", Spec().group("other")),
                                     session_requested("s3", one_share())});
  const QueuePositions all =
      queue_positions(g.state(), {&g.session("s3"), &g.session("s1"), &g.session("s2")});
  EXPECT_EQ(all.at(session_id("s1")), 1u);
  EXPECT_EQ(all.at(session_id("s2")), 1u);
  EXPECT_EQ(all.at(session_id("s3")), 2u);
  EXPECT_EQ(queue_positions(g.state(), {&g.session("s3")}).at(session_id("s3")), 2u);
}

SessionOrder order_of(const Given& g) {
  SessionOrder order;
  g.state().sessions.for_each_unordered([&](const auto& row) { order.emplace(row.created, row.id); });
  return order;
}

TEST(SessionList, PagesInArrivalOrderWithoutGapOrRepeat) {
  Events history = cluster();
  for (int i = 0; i < 10; ++i) history.push_back(session_requested("s" + std::to_string(i)));
  Given g = given(history);
  projections::Position after;
  std::vector<std::string> names;
  for (int pages = 0; pages < 10; ++pages) {
    const SessionPage page = select_sessions(g.state(), order_of(g), {}, {}, after, 3);
    for (const auto* session : page.sessions) names.push_back(session->name);
    if (!page.more) break;
    after = *parse_position(projections::to_string(page.sessions.back()->created));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"}));
}

TEST(SessionList, FiltersByStatusUserAndName) {
  Given g = given(cluster() + running("s1") +
                  Events{session_requested("s2"), session_requested("s3", Spec(), "bob"),
                         session_requested("s4"), session_cancelled("s4")});
  const auto names = [&](const std::string& query_text) {
    const auto target = parse_target("/x" + query_text);
    Errors errors;
    Query query(*target, errors);
    const SessionFilter filter = read_session_filter(query);
    query.finish();
    EXPECT_TRUE(errors.empty());
    std::string out;
    for (const auto* session : select_sessions(g.state(), order_of(g), {}, filter, {}, 100).sessions)
      out += session->name + " ";
    return out;
  };
  EXPECT_EQ(names(""), "s1 s2 s3 ");
  EXPECT_EQ(names("?state=all"), "s1 s2 s3 s4 ");
  EXPECT_EQ(names("?state=ended"), "s4 ");
  EXPECT_EQ(names("?state=RUNNING,CANCELLED"), "s1 s4 ");
  EXPECT_EQ(names("?name=s2"), "s2 ");
  EXPECT_EQ(names("?group=nowhere"), "");
}

TEST(SessionList, RefusesAStatusThatDoesNotExist) {
  const auto target = parse_target("/x?state=RUNING");
  Errors errors;
  Query query(*target, errors);
  read_session_filter(query);
  ASSERT_FALSE(errors.empty());
  EXPECT_EQ(std::move(errors).take().code, "invalid-parameter");
}

TEST(PageToken, OfAnythingElseIsRefused) {
  for (const char* text :
       {"", "1", "1.2", "1.2.3.4", "a.b.c", "1.2.", "1..3", "-1.2.3", "1.2.99999999999", "1.2.3x"})
    EXPECT_FALSE(parse_position(text).has_value()) << text;
  EXPECT_EQ(parse_position("1.17.0"), (projections::Position{1, 17, 0}));
}

Caller user(const std::string& name, v1::Role role = v1::ROLE_USER) {
  Caller caller;
  caller.user = name;
  caller.role = role;
  return caller;
}

TEST(SessionLookup, FindsByIdAndByOnesOwnName) {
  Given g = given(cluster() + running("s1"));
  EXPECT_TRUE(find_session(g.state(), user("alice"), "s1").ok());
  EXPECT_TRUE(find_session(g.state(), user("alice"), to_string(session_id("s1"))).ok());
}

TEST(SessionLookup, HidesWhatIsNotYours) {
  Given g = given(cluster() + running("s1"));
  EXPECT_EQ(find_session(g.state(), user("bob"), "s1").error().code, "unknown-session");
  // Word for word what is said about an id that nobody has.
  const auto hidden = find_session(g.state(), user("bob"), to_string(session_id("s1")));
  const auto absent = find_session(g.state(), user("bob"), to_string(session_id("s9")));
  EXPECT_EQ(hidden.error().code, absent.error().code);
  EXPECT_EQ(hidden.error().hint, absent.error().hint);
  EXPECT_TRUE(find_session(g.state(), user("root", v1::ROLE_SUPERADMIN), "s1").ok());
  EXPECT_TRUE(find_session(g.state(), user("eye", v1::ROLE_MONITOR), "s1").ok());
}

TEST(SessionLookup, PrefersTheLiveThenTheNewestOfAName) {
  v1::Event again = session_requested("n2");
  again.mutable_session_requested()->set_name("n1");
  Given g = given(cluster() + Events{session_requested("n1"), session_cancelled("n1"), again});
  EXPECT_EQ((*find_session(g.state(), user("alice"), "n1"))->id, session_id("n2"));
  g.and_given({session_cancelled("n2")});
  EXPECT_EQ((*find_session(g.state(), user("alice"), "n1"))->id, session_id("n2"));
}

TEST(SessionLookup, AsksForTheIdWhereANameIsSeveralPeoples) {
  v1::Event bobs = session_requested("x2", Spec(), "bob");
  bobs.mutable_session_requested()->set_name("x1");
  Given g = given(cluster() + Events{session_requested("x1"), bobs});
  EXPECT_EQ(find_session(g.state(), user("root", v1::ROLE_SUPERADMIN), "x1").error().code, "ambiguous-name");
  EXPECT_EQ((*find_session(g.state(), user("bob"), "x1"))->id, session_id("x2"));
}

projections::Actor admin() { return {"root", v1::ROLE_SUPERADMIN, "default", {}, {}}; }

TEST(AgentJson, AddsUpItsDevicesAndNamesWhoHoldsThem) {
  Given g = given(cluster() + running("s1"));
  const auto json = agent_to_json(g.state(), SlotKinds(g.state()), g.agent("a1"), admin());
  EXPECT_EQ(json.at("slots").at("cuda.shares"),
            boost::json::parse(R"({"capacity": "2", "taken": "1", "free": "1"})"));
  EXPECT_EQ(json.at("slots").at("cpu"),
            boost::json::parse(R"({"capacity": "4", "taken": "1", "free": "3"})"));
  EXPECT_EQ(json.at("devices").at(0).at("slots").at("cuda.shares").at("free").as_string(), "1");
  EXPECT_EQ(json.at("kernels").at(0).at("session_name").as_string(), "s1");
  EXPECT_TRUE(json.at("schedulable").as_bool());
}

TEST(AgentJson, ToWhoSeesOnlyTheirOwnItShowsTheirKernelsAndNotHowItIsReached) {
  Given g = given(cluster() + running("s1"));
  const auto shown = [&g](const std::string& user) {
    return agent_to_json(g.state(), SlotKinds(g.state()), g.agent("a1"),
                         {user, v1::ROLE_USER, "default", {"default"}, {}});
  };
  EXPECT_EQ(shown("alice").at("kernels").as_array().size(), 1u);
  const auto others = shown("bob");
  EXPECT_EQ(others.at("kernels").as_array().size(), 0u);
  EXPECT_TRUE(others.at("address").is_null());
  EXPECT_EQ(others.at("slots").at("cpu").at("free").as_string(), "3");
}

TEST(AgentJson, SaysWhetherWhatKernelsWriteIsBounded) {
  Given g = given(cluster());
  const auto enforced = [&g] {
    return agent_to_json(g.state(), SlotKinds(g.state()), g.agent("a1"), admin()).at("disk_enforced");
  };
  EXPECT_TRUE(enforced().is_null());
  int life = 2;
  for (const char* backend : {"oci", "process"}) {
    v1::Event joined = agent_joined("a1", 4, 8 * kGiga, {}, life++);
    joined.mutable_agent_joined()->set_backend(backend);
    auto* disk = joined.mutable_agent_joined()->add_slots();
    disk->set_slot("disk");
    disk->set_amount(100 * kGiga);
    g.and_given({joined});
    EXPECT_EQ(enforced(), boost::json::value(backend == std::string("oci")));
  }
}

TEST(AgentJson, ShowsOverCommitmentAsNegativeFree) {
  Given g = given(cluster() + running("s1") + running("s2"));
  g.and_given({agent_joined("a1", 4, 8 * kGiga, {gpu("gpu0", kUnit)}, 2)});
  const auto json = agent_to_json(g.state(), SlotKinds(g.state()), g.agent("a1"), admin());
  EXPECT_EQ(json.at("slots").at("cuda.shares").at("free").as_string(), "-1");
}

v1::Record record_of(const Events& events) {
  v1::Record record;
  record.mutable_header()->set_epoch(1);
  record.mutable_header()->set_sequence(17);
  record.mutable_header()->set_time_ns(kTestStart);
  for (const auto& event : events) *record.add_events() = event;
  return record;
}

TEST(EventJson, ShowsIdsAmountsAndNamesAsPeopleReadThem) {
  Given g = given(cluster() + running("s1"));
  const v1::Record record =
      record_of({session_scheduled("s1", {{"a1", {{"gpu0", kUnit}}}}), kernel_running(kernel_name("s1"))});
  const auto names = names_for(g.state(), record);
  const auto json = event_to_json(record, 0, 42, SlotKinds(g.state()), names, session_id("s1"));
  EXPECT_EQ(json.at("id").as_string(), "42-0");
  EXPECT_EQ(json.at("position").as_string(), "1.17.0");
  EXPECT_EQ(json.at("time").as_string(), "2023-11-14T22:13:20Z");
  EXPECT_EQ(json.at("type").as_string(), "SessionScheduled");
  EXPECT_EQ(json.at("session").as_string(), to_string(session_id("s1")));
  EXPECT_NE(std::string(json.at("text").as_string()).find("s1"), std::string::npos);
  const auto& data = json.at("data");
  EXPECT_EQ(data.at("session_id").as_string(), to_string(session_id("s1")));
  EXPECT_EQ(data.at("placements").at(0).at("devices").at(0).at("amount").as_string(), "1");
  EXPECT_EQ(session_of(g.state(), record.events(1)), session_id("s1"));
}

TEST(EventJson, EveryEventOfTheSchemaHasAForm) {
  Given g = given(definitions());
  const auto* body = v1::Event::descriptor()->oneof_decl(0);
  for (int i = 0; i < body->field_count(); ++i) {
    v1::Event event;
    event.GetReflection()->MutableMessage(&event, body->field(i));
    const v1::Record record = record_of({event});
    const auto json =
        event_to_json(record, 0, 1, SlotKinds(g.state()), names_for(g.state(), record), std::nullopt);
    EXPECT_EQ(json.at("type").as_string(), body->field(i)->message_type()->name());
    EXPECT_EQ(json.at("data").as_object().size(),
              static_cast<std::size_t>(body->field(i)->message_type()->field_count()));
  }
}

TEST(EventJson, ShowsSpecsWithAmountsAndPairs) {
  Given g = given(definitions());
  v1::Event event = session_requested("s1", one_share());
  auto* pair = event.mutable_session_requested()->mutable_spec()->add_env();
  pair->set_key("A");
  pair->set_value("b");
  const auto json = event_to_json(record_of({event}), 0, 1, SlotKinds(g.state()), NameBook(), std::nullopt);
  const auto& spec = json.at("data").at("spec");
  EXPECT_EQ(spec.at("env"), boost::json::parse(R"({"A": "b"})"));
  EXPECT_EQ(spec.at("roles").at(0).at("slots").at("mem").as_string(), "268435456");
}

TEST(EventId, IsReadStrictly) {
  EXPECT_EQ(parse_event_id("17-3"), (EventId{17, 3}));
  for (const char* text :
       {"", "17", "17-", "-3", "17-3-1", "a-b", "17 -3", "17-3x", "99999999999999999999-0"})
    EXPECT_FALSE(parse_event_id(text)) << text;
}

TEST(Problem, HasAStatusForEveryCode) {
  EXPECT_EQ(make_problem("name-in-use", "").status, 409u);
  EXPECT_EQ(make_problem("unknown-session", "").status, 404u);
  EXPECT_EQ(make_problem("invalid-amount", "").status, 400u);
  EXPECT_EQ(make_problem("controller-full", "").status, 503u);
  EXPECT_EQ(make_problem("controller-full", "").retry_after_s, 1u);
  EXPECT_EQ(make_problem("outcome-unknown", "").status, 504u);
  EXPECT_EQ(make_problem(Code::of_number(60'000), "").status, 400u);
}

TEST(Problem, SaysWhatToDoByTheTableWhereNobodySaysMore) {
  for (const CodeRow& row : code_table())
    EXPECT_FALSE(make_problem(Code::of_number(row.number), "").hint.empty()) << row.word;
  EXPECT_EQ(make_problem("name-in-use", "", "take another").hint, "take another");
}

}  // namespace
}  // namespace berth::controller::api
