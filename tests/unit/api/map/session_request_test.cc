// POST /v1/sessions: what a body may hold, and what is said about the rest.
#include "controller/api/map/session_request.h"

#include <gtest/gtest.h>

#include "controller/api/map/json_reader.h"

namespace berth::controller::api {
namespace {

SlotKinds kinds() {
  SlotKinds kinds;
  kinds.add("cpu", SlotKind::kCount);
  kinds.add("mem", SlotKind::kBytes);
  kinds.add("cuda.shares", SlotKind::kCount, 100'000);
  return kinds;
}

struct Read {
  v1::RequestSession request;
  v1::Owner owner;
  Errors errors;
  std::optional<Problem> parse;
};

Read read(const std::string& text) {
  Read out;
  const auto body = parse_body(text);
  if (!body.ok())
    out.parse = to_problem(body.error());
  else
    out.request = read_session_request(*body, kinds(), out.owner, out.errors);
  return out;
}

// The first error of a body that must be refused.
Problem refused(const std::string& text) {
  Read out = read(text);
  if (out.parse) return *out.parse;
  if (out.errors.empty()) {
    ADD_FAILURE() << "accepted: " << text;
    return {};
  }
  return std::move(out.errors).take();
}

// A usual body with one more member.
std::string with(const std::string& member) {
  return R"({"image": "python:3.11", "resources": {"cpu": "1", "mem": "1g"}, )" + member + "}";
}
std::string with_resources(const std::string& members) { return R"({"resources": {)" + members + "}}"; }

TEST(SessionRequest, TakesTheStorysSession) {
  const Read out = read(R"({"name": "demo", "image": "python:3.11", "count": 3,
                            "resources": {"cpu": "0.5", "mem": "256m", "cuda.shares": "1"}})");
  ASSERT_TRUE(out.errors.empty());
  EXPECT_EQ(out.request.name(), "demo");
  EXPECT_EQ(out.request.count(), 3u);
  const v1::SessionSpec& spec = out.request.spec();
  EXPECT_EQ(spec.image(), "python:3.11");
  ASSERT_EQ(spec.roles_size(), 1);
  EXPECT_EQ(spec.roles(0).role(), "main");
  ASSERT_EQ(spec.roles(0).slots_size(), 3);
  EXPECT_EQ(spec.roles(0).slots(0).slot(), "cpu");
  EXPECT_EQ(spec.roles(0).slots(0).amount(), 500'000);
  EXPECT_EQ(spec.roles(0).slots(1).slot(), "cuda.shares");
  EXPECT_EQ(spec.roles(0).slots(1).amount(), 1'000'000);
  EXPECT_EQ(spec.roles(0).slots(2).amount(), 256ll << 20);
}

TEST(SessionRequest, SaysWhichYearsAStartTimeMayHave) {
  const auto start = [](const std::string& time) {
    return refused(with(R"("type": "batch", "command": ["a"], "start_time": ")" + time + "\""));
  };
  EXPECT_EQ(start("2150-01-01T00:00:00Z").detail, "start_time: is out of range");
  EXPECT_EQ(start("2150-01-01T00:00:00Z").hint, "a time before 2116");
  EXPECT_NE(start("2300-01-01T00:00:00Z").hint.find("the year is 1970 to 2200"), std::string::npos);
}

TEST(SessionRequest, TakesEveryField) {
  const Read out = read(
      with(R"j("type": "batch", "group": "g", "priority": 7, "shm": "128m", "env": {"B": "2", "A": "1=x"},
      "command": ["python3", "-c", "print(1)"], "requeueable": true,
      "no_automatic_folder": true, "pending_timeout": "10m", "batch_timeout": 3600,
      "start_time": "2026-01-01T09:00:00+09:00", "max_attempts": 3, "architecture": "aarch64", "domain": "d", "project": "p",
      "session_ids": ["01234567-89ab-cdef-0123-456789abcdef"])j"));
  ASSERT_TRUE(out.errors.empty()) << std::move(Errors(out.errors)).take().detail;
  const v1::SessionSpec& spec = out.request.spec();
  EXPECT_EQ(spec.type(), v1::BATCH);
  EXPECT_EQ(spec.group(), "g");
  EXPECT_EQ(spec.priority(), 7);
  EXPECT_EQ(spec.shm(), 128ll << 20);
  ASSERT_EQ(spec.env_size(), 2);
  EXPECT_EQ(spec.env(0).key(), "A");  // in name order: the same body always is the same request
  EXPECT_EQ(spec.env(0).value(), "1=x");
  ASSERT_EQ(spec.command_size(), 3);
  EXPECT_EQ(spec.command(2), "print(1)");
  EXPECT_TRUE(spec.requeueable());
  EXPECT_TRUE(spec.no_automatic_folder());
  EXPECT_EQ(spec.pending_timeout_ms(), 600'000);
  EXPECT_EQ(spec.batch_timeout_ms(), 3'600'000);
  EXPECT_EQ(spec.start_time_ms(), 1767225600000);
  EXPECT_EQ(spec.max_attempts(), 3u);
  EXPECT_EQ(spec.architecture(), "aarch64");
  EXPECT_EQ(out.owner.domain(), "d");
  EXPECT_EQ(out.owner.project(), "p");
  EXPECT_EQ(out.request.session_ids_size(), 1);
}

TEST(SessionRequest, TakesHowItStandsToOthers) {
  const Read out = read(with(R"("job_priority": -3, "preemptible": false,
      "session_group": {"name": "web", "rule": "pack", "strict": true})"));
  ASSERT_TRUE(out.errors.empty());
  EXPECT_EQ(out.request.spec().job_priority(), -3);
  EXPECT_TRUE(out.request.spec().not_preemptible());
  EXPECT_EQ(out.request.spec().session_group().name(), "web");
  EXPECT_EQ(out.request.spec().session_group().rule(), v1::PACK);
  EXPECT_TRUE(out.request.spec().session_group().strict());
  const v1::SessionSpec plain =
      read(with(R"("session_group": {"name": "web"}, "preemptible": true)")).request.spec();
  EXPECT_FALSE(plain.not_preemptible());
  EXPECT_EQ(plain.session_group().rule(), v1::SPREAD);
  EXPECT_FALSE(plain.session_group().strict());
}

TEST(SessionRequest, LeavesWhatIsNotGivenToTheDecision) {
  const Read out = read(with(R"("name": null, "shm": null)"));
  ASSERT_TRUE(out.errors.empty());
  EXPECT_EQ(out.request.name(), "");
  EXPECT_EQ(out.request.count(), 1u);
  EXPECT_EQ(out.request.spec().type(), v1::SESSION_TYPE_UNSPECIFIED);
  EXPECT_EQ(out.request.spec().priority(), 0);
  EXPECT_EQ(out.request.spec().shm(), 0);
}

TEST(SessionRequest, KeepsAnExplicitZeroAndTakesIntegers) {
  const Read out = read(with_resources(R"("cpu": 2, "mem": 1073741824, "cuda.shares": "0")"));
  ASSERT_TRUE(out.errors.empty());
  ASSERT_EQ(out.request.spec().roles(0).slots_size(), 3);
  EXPECT_EQ(out.request.spec().roles(0).slots(0).amount(), 2'000'000);
  EXPECT_EQ(out.request.spec().roles(0).slots(1).amount(), 0);
  EXPECT_EQ(out.request.spec().roles(0).slots(2).amount(), 1ll << 30);
}

TEST(SessionRequest, TakesMemoryFrom4MiBOnAndSaysWhichUnitWasForgotten) {
  EXPECT_TRUE(read(with_resources(R"("cpu": 1, "mem": "4m")")).errors.empty());
  const Problem problem = refused(with_resources(R"("cpu": 1, "mem": "256")"));
  EXPECT_EQ(problem.code, "invalid-amount");
  EXPECT_EQ(problem.hint, "256 is bytes: write 256m");
  const Problem of_a_role = refused(R"({"roles": [{"role": "main", "resources": {"mem": 4194303}}]})");
  EXPECT_EQ(of_a_role.errors[0].place, "roles[0].resources.mem");
}

struct Bad {
  const char* what;
  std::string body;
  const char* code;
  const char* place;
};

class SessionRequestRefuses : public ::testing::TestWithParam<Bad> {};

TEST_P(SessionRequestRefuses, WithItsCodeAndPlace) {
  const Problem problem = refused(GetParam().body);
  EXPECT_EQ(problem.code, GetParam().code);
  EXPECT_EQ(problem.status, 400u);
  ASSERT_FALSE(problem.errors.empty());
  EXPECT_EQ(problem.errors[0].place, GetParam().place);
  EXPECT_FALSE(problem.errors[0].message.empty());
  EXPECT_LT(problem.detail.size(), 400u);
}

std::vector<Bad> bad_bodies() {
  const std::string long_name(10'000, 'n');
  return {
      {"UnknownField", with(R"("imgae": "x")"), "unknown-field", "imgae"},
      {"NoResources", R"({"image": "python:3.11"})", "missing-field", "resources"},
      {"ResourcesOfAnotherType", R"({"resources": ["cpu"]})", "invalid-value", "resources"},
      {"UnknownSlot", with_resources(R"("cpu": "1", "gpu": "1")"), "unknown-slot", "resources.gpu"},
      {"ShmemAmongSlots", with_resources(R"("shmem": "64m")"), "unknown-slot", "resources.shmem"},
      {"NegativeText", with_resources(R"("cpu": "-1")"), "invalid-amount", "resources.cpu"},
      {"NegativeInteger", with_resources(R"("cpu": -1)"), "invalid-amount", "resources.cpu"},
      {"Fraction", with_resources(R"("cpu": 0.5)"), "invalid-amount", "resources.cpu"},
      {"Exponent", with_resources(R"("cpu": "1e3")"), "invalid-amount", "resources.cpu"},
      {"EmptyAmount", with_resources(R"("cpu": "")"), "invalid-amount", "resources.cpu"},
      {"BooleanAmount", with_resources(R"("cpu": true)"), "invalid-amount", "resources.cpu"},
      {"OverflowText", with_resources(R"("mem": "99999999999999999999")"), "invalid-amount", "resources.mem"},
      {"OverflowSuffix", with_resources(R"("mem": "9999999p")"), "invalid-amount", "resources.mem"},
      {"OverflowInteger", with_resources(R"("cpu": 18446744073709551615)"), "invalid-amount",
       "resources.cpu"},
      {"SuffixOnACount", with_resources(R"("cpu": "2g")"), "invalid-amount", "resources.cpu"},
      {"TooManyDecimals", with_resources(R"("cpu": "0.1234567")"), "invalid-amount", "resources.cpu"},
      {"BrokenBytes", with_resources(R"("mem": "1.3")"), "invalid-amount", "resources.mem"},
      {"LongName", with("\"name\": \"" + long_name + "\""), "invalid-name", "name"},
      {"NameWithASlash", with(R"("name": "a/b")"), "invalid-name", "name"},
      {"NameWithADashInFront", with(R"("name": "-a")"), "invalid-name", "name"},
      {"NameOfAnotherAlphabet", with(R"("name": "데모")"), "invalid-name", "name"},
      {"NameOfAnotherType", with(R"("name": 5)"), "invalid-value", "name"},
      {"UnknownType", with(R"("type": "cron")"), "invalid-value", "type"},
      {"NoCount", with(R"("count": 0)"), "invalid-value", "count"},
      {"CountTooLarge", with(R"("count": 101)"), "invalid-value", "count"},
      {"CountOfAnotherType", with(R"("count": "3")"), "invalid-value", "count"},
      {"CountWithAFraction", with(R"("count": 1.5)"), "invalid-value", "count"},
      {"Priority", with(R"("priority": 0)"), "invalid-value", "priority"},
      {"ShmOfNothing", with(R"("shm": "0")"), "invalid-amount", "shm"},
      {"NegativeShm", with(R"("shm": "-64m")"), "invalid-amount", "shm"},
      {"EnvNumber", with(R"("env": {"A": 1})"), "invalid-value", "env.A"},
      {"EnvNameWithEquals", with(R"("env": {"A=B": "1"})"), "invalid-value", "env.A=B"},
      {"EnvNameEmpty", with(R"("env": {"": "1"})"), "invalid-value", "env."},
      {"EnvNul", with(R"("env": {"A": "x\u0000y"})"), "invalid-value", "env.A"},
      {"CommandOfAnotherType", with(R"("command": "sleep 1")"), "invalid-value", "command"},
      {"CommandNumber", with(R"("command": ["sleep", 1])"), "invalid-value", "command[1]"},
      {"CommandNul", with(R"("command": ["a\u0000b"])"), "invalid-value", "command[0]"},
      {"Requeueable", with(R"("requeueable": "yes")"), "invalid-value", "requeueable"},
      {"Timeout", with(R"("pending_timeout": "5 minutes")"), "invalid-value", "pending_timeout"},
      {"NegativeTimeout", with(R"("pending_timeout": -5)"), "invalid-value", "pending_timeout"},
      {"StartTime", with(R"("type": "batch", "start_time": "tomorrow")"), "invalid-value", "start_time"},
      {"BatchTimeoutOfInteractive", with(R"("batch_timeout": "1h")"), "invalid-spec", "batch_timeout"},
      {"SessionIdNoUuid", with(R"("session_ids": ["x"])"), "invalid-value", "session_ids"},
      {"SessionIdsTooFew", with(R"("count": 2, "session_ids": ["01234567-89ab-cdef-0123-456789abcdef"])"),
       "invalid-spec", "session_ids"},
      {"JobPriorityTooHigh", with(R"("job_priority": 1001)"), "invalid-value", "job_priority"},
      {"Preemptible", with(R"("preemptible": "no")"), "invalid-value", "preemptible"},
      {"SessionGroupOfAnotherType", with(R"("session_group": "web")"), "invalid-value", "session_group"},
      {"SessionGroupWithoutName", with(R"("session_group": {"rule": "pack"})"), "missing-field",
       "session_group.name"},
      {"SessionGroupName", with(R"("session_group": {"name": "a/b"})"), "invalid-name", "session_group.name"},
      {"SessionGroupRule", with(R"("session_group": {"name": "a", "rule": "near"})"), "invalid-value",
       "session_group.rule"},
      {"SessionGroupNonsense", with(R"("session_group": {"name": "a", "size": 3})"), "unknown-field",
       "session_group.size"},
      {"MaxAttempts", with(R"("max_attempts": 0)"), "invalid-value", "max_attempts"},
  };
}

INSTANTIATE_TEST_SUITE_P(A, SessionRequestRefuses, ::testing::ValuesIn(bad_bodies()),
                         [](const auto& param) { return std::string(param.param.what); });

TEST(SessionRequest, V6_TakesAStartTimeThatBindsNothing) {
  const Read out = read(with(R"("start_time": "2026-01-01T00:00:00Z")"));
  EXPECT_TRUE(out.errors.empty());
  EXPECT_EQ(out.request.spec().start_time_ms(), 1767225600000);
}

TEST(SessionRequest, NamesEveryMistakeAtOnce) {
  const Problem problem = refused(R"({"resources": {"cpu": "-1", "gpu": "2"}, "count": 0, "nonsense": 1})");
  EXPECT_EQ(problem.errors.size(), 4u);
}

TEST(SessionRequest, SaysTheNearestAmountsWhereThereAreTooManyDecimals) {
  const Problem problem = refused(with_resources(R"("cpu": "0.1234567")"));
  EXPECT_EQ(problem.hint, "nearest below 0.123456, nearest above 0.123457");
}

TEST(SessionRequest, HintsThatSharedMemoryIsNoSlot) {
  EXPECT_NE(refused(with_resources(R"("shmem": "64m")")).hint.find("field shm"), std::string::npos);
  EXPECT_EQ(refused(with_resources(R"("gpu": "1")")).hint, "known: cpu, cuda.shares, mem");
}

TEST(SessionRequest, NeverRepeatsALongNameWhole) {
  EXPECT_LT(refused(with("\"name\": \"" + std::string(10'000, 'n') + "\"")).detail.size(), 300u);
}

TEST(Body, IsRefusedWhenItIsNoJson) {
  for (const char* text : {"{", "}", "[]", "3", "\"x\"", "null", "{\"a\": }", "{\"a\": 1,}", "{'a': 1}",
                           "{\"a\": 1} x", "\xff\xfe", "{\"a\": \"\xff\"}", "nope"}) {
    const auto body = parse_body(text);
    ASSERT_FALSE(body.ok()) << text;
    EXPECT_EQ(body.error().code, "malformed-json") << text;
  }
}

TEST(Body, IsRefusedWhenItIsNestedTooDeep) {
  const auto body = parse_body("{\"a\": " + std::string(50'000, '[') + std::string(50'000, ']') + "}");
  ASSERT_FALSE(body.ok());
  EXPECT_EQ(body.error().code, "too-deep");
}

TEST(Body, IsAnEmptyObjectWhenThereIsNone) {
  const auto body = parse_body("");
  ASSERT_TRUE(body.ok());
  EXPECT_TRUE(body->empty());
}

}  // namespace
}  // namespace berth::controller::api
