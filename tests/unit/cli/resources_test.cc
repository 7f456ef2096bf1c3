// Clusters, agents, limits, groups and presets on the command line: what is sent, and what is refused before.
#include <gtest/gtest.h>

#include "ops/cli/output/views.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct Sent {
  int exit;
  std::string call;  // "PUT /v1/limits/user/alice"
  json::value body;
  std::string err, out;
};

// What the last request of the command was; the server answers `reply` to everything.
Sent sent(const std::vector<std::string>& words, const std::string& reply = R"({"position": 7})") {
  FakeWorld w;
  w.server.answer = [&](const HttpRequest&) { return Result<HttpReply>(json_reply(reply)); };
  const auto ran = w.run(words);
  Sent out{ran.exit, {}, nullptr, ran.err, ran.out};
  if (w.server.requests.empty()) return out;
  const auto& request = w.server.requests.back();
  out.call = request.method + " " + request.target;
  if (!request.body.empty()) out.body = json::parse(request.body);
  return out;
}

TEST(RunCluster, SendsSizeModeRolesAgentsAndDependencies) {
  const auto size =
      sent({"session", "run", "--cpu", "1", "--cluster-size", "3", "--cluster-mode", "multi-node"});
  EXPECT_EQ(size.body, json::parse(R"({"mode": "multi-node", "cluster_size": 3, "resources": {"cpu": "1"}})"))
      << size.err;
  const auto roles =
      sent({"session", "run", "--mem", "1g", "--role", "main=1,cpu=2", "--role", "worker=4,cpu=1,image=x:1",
            "--agent", "a1", "--agent", "a2", "--agent-rule", "preferred"});
  EXPECT_EQ(roles.body, json::parse(R"({"roles": [{"role": "main", "count": 1, "resources": {"cpu": "2"}},
      {"role": "worker", "count": 4, "image": "x:1", "resources": {"cpu": "1"}}],
      "designated": {"agents": ["a1", "a2"], "rule": "preferred"}, "resources": {"mem": "1g"}})"))
      << roles.err;
  const auto after = sent({"session", "run", "-d", "--type", "batch", "--cpu", "1", "--depends-on", "a",
                           "--depends-on", "b", "--on-dependency-failure", "wait", "--", "true"});
  EXPECT_EQ(after.body.at("depends_on"), json::parse(R"(["a", "b"])")) << after.err;
  EXPECT_EQ(after.body.at("on_dependency_failure").as_string(), "wait");
}

TEST(RunCluster, AsksForDiskLikeForAnyOtherAmount) {
  const auto run = sent({"session", "run", "--cpu", "1", "--mem", "1g", "--disk", "20g"});
  EXPECT_EQ(run.body, json::parse(R"({"resources": {"cpu": "1", "mem": "1g", "disk": "20g"}})")) << run.err;
  const auto twice = sent({"session", "run", "--cpu", "1", "--disk", "20g", "--resource", "disk=1g"});
  EXPECT_EQ(twice.exit, kUsage);
  EXPECT_EQ(twice.call, "");
}

TEST(RunCluster, RefusesBadRolesBeforeAnythingIsSent) {
  for (const auto& words : std::vector<std::vector<std::string>>{{"--role", "main"},
                                                                 {"--role", "main="},
                                                                 {"--role", "main=x"},
                                                                 {"--role", "main=1,cpu"},
                                                                 {"--cluster-size", "0"},
                                                                 {"--cluster-mode", "everywhere"},
                                                                 {"--agent-rule", "strict"},
                                                                 {"--on-dependency-failure", "cry"}}) {
    std::vector<std::string> all{"session", "run", "--cpu", "1"};
    all.insert(all.end(), words.begin(), words.end());
    const auto out = sent(all);
    EXPECT_EQ(out.exit, kUsage) << words[0] << " " << out.err;
    EXPECT_EQ(out.call, "");
  }
}

TEST(LimitCommand, SetsListsAndRemoves) {
  const auto set =
      sent({"limit", "set", "user", "alice", "--slot", "cpu=10", "--slot", "mem=unlimited", "--unlisted",
            "limited", "--sessions", "5", "--pending", "unlimited", "--pending-slot", "cpu=4"});
  EXPECT_EQ(set.call, "PUT /v1/limits/user/alice") << set.err;
  EXPECT_EQ(
      set.body,
      json::parse(
          R"({"slots": {"cpu": "10", "mem": null}, "pending_slots": {"cpu": "4"}, "unlisted": "limited", "sessions": 5})"));
  EXPECT_EQ(sent({"limit", "rm", "project", "default/ml"}).call, "DELETE /v1/limits/project/default%2Fml");
  EXPECT_EQ(sent({"limit", "set", "planet", "x"}).exit, kUsage);
  EXPECT_EQ(sent({"limit", "set", "user", "x", "--sessions", "many"}).exit, kUsage);
  EXPECT_EQ(sent({"limit", "set", "user", "x", "--slot", "cpu"}).exit, kUsage);
}

TEST(LimitCommand, ShowsWhatIsUsedOfIt) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(
        json_reply(R"({"limits": [{"scope": "user", "id": "alice", "slots": {"cpu": "10", "mem": null},
        "unlisted": "unlimited", "sessions": 5, "pending": null, "system_sessions": null, "kernels_per_session": null, "priority": null,
        "using": {"slots": {"cpu": "2", "mem": "1073741824"}, "sessions": 1, "pending": 0, "system_sessions": 0}}],
        "next_page_token": null, "position": 7})"));
  };
  const auto ran = w.run({"limit", "ls"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.out.find("user   alice  cpu 2 of 10, mem 1g unlimited  1 of 5    0"), std::string::npos)
      << ran.out;
}

TEST(GroupCommand, ChangesOnlyWhatIsSaid) {
  const std::string groups =
      R"({"groups": [{"name": "gpu", "order": "fifo", "select": "dispersed", "devices": {"x": {"spread": "even"}}}],
                                 "next_page_token": null, "position": 7})";
  const auto out = sent({"group", "set", "gpu", "--order", "drf", "--head-of-line", "skip-after-n=5",
                         "--slot-priority", "cuda,cpu", "--device", "cuda.shares=fill,0.1,fragments",
                         "--pending-timeout", "2h", "--max-attempts", "3"},
                        groups);
  EXPECT_EQ(out.call, "POST /v1/groups") << out.err;
  EXPECT_EQ(
      out.body,
      json::parse(
          R"({"name": "gpu", "order": "drf", "select": "dispersed", "head_of_line": {"policy": "skip-after-n", "n": 5},
      "slot_priority": ["cuda", "cpu"], "devices": {"x": {"spread": "even"},
      "cuda.shares": {"spread": "fill", "quantum": "0.1", "allow_fragments": true}}, "pending_timeout": "2h", "max_attempts": 3})"));
  EXPECT_EQ(sent({"group", "set", "new", "--impossible", "skip"}, groups).body,
            json::parse(R"({"name": "new", "impossible": "skip"})"));
  EXPECT_EQ(sent({"group", "set", "new", "--egress", "registries"}, groups).body,
            json::parse(R"({"name": "new", "egress": "registries"})"));
  EXPECT_EQ(sent({"group", "define", "new", "--order", "lifo"}, groups).body,
            json::parse(R"({"name": "new", "order": "lifo"})"));
}

TEST(GroupCommand, ChangesWhatIsSaidOfPreemptionAlone) {
  const std::string groups =
      R"({"groups": [{"name": "gpu", "preemption": {"enabled": false, "order": "newest", "mode": "terminate",
      "scope": "user", "min_runtime": null}}], "next_page_token": null, "position": 7})";
  const auto body = sent({"group", "set", "gpu", "--preempt", "on", "--preempt-mode", "reschedule",
                          "--preempt-min-runtime", "30m"},
                         groups)
                        .body;
  EXPECT_EQ(body.at("preemption"),
            json::parse(R"({"enabled": true, "order": "newest", "mode": "reschedule", "scope": "user",
      "min_runtime": "30m"})"));
  EXPECT_EQ(sent({"group", "set", "new", "--preempt-scope", "domain"}, groups).body.at("preemption"),
            json::parse(R"({"scope": "domain"})"));
  FakeWorld w;
  EXPECT_EQ(w.run({"group", "set", "gpu", "--preempt", "maybe"}).exit, kUsage);
}

TEST(GroupCommand, S3_BoundsWhatAKernelWritesUntilItSaysNone) {
  const std::string groups =
      R"({"groups": [{"name": "gpu", "disk": "1048576000"}], "next_page_token": null, "position": 7})";
  EXPECT_EQ(sent({"group", "set", "gpu", "--disk", "10g"}, groups).body.at("disk"), "10g");
  EXPECT_TRUE(sent({"group", "set", "gpu", "--disk", "none"}, groups).body.at("disk").is_null());
  EXPECT_EQ(sent({"group", "set", "gpu", "--shm", "1g"}, groups).body.at("disk"), "1048576000");
}

TEST(GroupCommand, IsOpenToWhomItIsSaidOrToEverybody) {
  const std::string groups =
      R"({"groups": [{"name": "gpu", "open_to": [{"scope": "user", "id": "bob"}]}], "next_page_token": null,
      "position": 7})";
  EXPECT_EQ(
      sent({"group", "set", "gpu", "--open-to", "domain:lab,project:default/ml"}, groups).body.at("open_to"),
      json::parse(R"([{"scope": "domain", "id": "lab"}, {"scope": "project", "id": "default/ml"}])"));
  EXPECT_EQ(sent({"group", "set", "gpu", "--open-to", ""}, groups).body.at("open_to"), json::parse("[]"));
  EXPECT_EQ(sent({"group", "set", "gpu", "--order", "drf"}, groups).body.at("open_to").as_array().size(), 1u);
  EXPECT_EQ(sent({"group", "set", "gpu", "--open-to", "lab"}, groups).exit, kUsage);
  EXPECT_NE(sent({"group", "ls", "-o", "wide"}, groups).out.find("user:bob"), std::string::npos);
}

TEST(GroupCommand, SaysOfFairShareWhatIsSaidAndKeepsTheRest) {
  const std::string groups =
      R"({"groups": [{"name": "gpu", "order": "fair-share", "fair_share": {"half_life_days": 7,
      "slot_weights": {}, "weights": {"user:alice": "2"}}}], "next_page_token": null, "position": 7})";
  const auto out = sent({"group", "set", "gpu", "--lookback", "30", "--slot-weight", "cuda=10", "--weight",
                         "project:default/ml=0.5"},
                        groups);
  EXPECT_EQ(
      out.body,
      json::parse(
          R"({"name": "gpu", "order": "fair-share", "fair_share": {"half_life_days": 7, "lookback_days": 30,
      "slot_weights": {"cuda": "10"}, "weights": {"user:alice": "2", "project:default/ml": "0.5"}}})"))
      << out.err;
  EXPECT_EQ(sent({"group", "set", "new", "--order", "fair-share"}, groups).body,
            json::parse(R"({"name": "new", "order": "fair-share"})"));
  EXPECT_EQ(sent({"group", "set", "gpu", "--weight", "user:alice"}, groups).exit, kUsage);
}

TEST(GroupCommand, ShowsWhoComesFirst) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(
        json_reply(R"({"group": "gpu", "until": "2026-01-01T00:00:00Z", "position": 7, "shares": [
        {"scope": "user", "id": "alice", "weight": "2", "used": {"cpu": "3600"}, "factor": "0.933032", "rank": 1}]})"));
  };
  const auto ran = w.run({"group", "fair-share", "gpu"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(w.server.requests.back().target, "/v1/fair-share?group=gpu");
  EXPECT_NE(ran.out.find("user   alice  1     0.933032  2       cpu 3600"), std::string::npos) << ran.out;
}

TEST(PresetCommand, DefinesAndChecks) {
  const auto set = sent({"preset", "set", "small", "-r", "cpu=1", "-r", "mem=2g"});
  EXPECT_EQ(set.call, "POST /v1/presets") << set.err;
  EXPECT_EQ(set.body, json::parse(R"({"name": "small", "resources": {"cpu": "1", "mem": "2g"}})"));
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(json_reply(
        R"({"group": "gpu", "presets": [{"name": "small", "resources": {"cpu": "1"}, "shm": null, "allocatable": true}]})"));
  };
  const auto ran = w.run({"resource", "presets", "--group", "gpu"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(w.server.requests.back().target, "/v1/resource/check-presets?group=gpu");
  EXPECT_NE(ran.out.find("small  cpu 1"), std::string::npos) << ran.out;
}

TEST(PresetCommand, IsWhatRunAsksForButForWhatIsNamed) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest& request) -> Result<HttpReply> {
    if (request.method == "GET")
      return json_reply(R"({"next_page_token": null, "presets": [
          {"name": "small", "resources": {"cpu": "1", "mem": "268435456"}, "shm": "1048576"},
          {"name": "large", "resources": {"cpu": "8"}, "shm": null}]})");
    return json_reply(R"({"sessions": [], "position": 7})");
  };
  const auto ran = w.run({"run", "--preset", "small", "--cpu", "2"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(w.server.requests[0].target, "/v1/presets?limit=1000");
  EXPECT_EQ(json::parse(w.server.requests.back().body),
            json::parse(R"({"resources": {"cpu": "2", "mem": "268435456"}, "shm": "1048576"})"));
  const auto large = w.run({"run", "--preset", "large", "--dry-run"});
  EXPECT_EQ(json::parse(w.server.requests.back().body), json::parse(R"({"resources": {"cpu": "8"}})"))
      << large.err;
  const auto none = w.run({"run", "--preset", "huge"});
  EXPECT_EQ(none.exit, kNotFound);
  EXPECT_NE(none.err.find("known: small, large"), std::string::npos) << none.err;
}

TEST(RemovalCommand, NamesWhatItRemovesInThePath) {
  for (const auto& [words, call] :
       {std::pair<std::vector<std::string>, std::string>{{"group", "rm", "gpu"}, "DELETE /v1/groups/gpu"},
        {{"image", "rm", "lab/python:3.11"}, "DELETE /v1/images/lab%2Fpython%3A3.11"},
        {{"preset", "rm", "small"}, "DELETE /v1/presets/small"},
        {{"agent", "rm", "a1"}, "DELETE /v1/agents/a1"}}) {
    const auto done = sent(words);
    EXPECT_EQ(done.call, call) << done.err;
    EXPECT_EQ(done.out, words.back() + "\n");
  }
}

// tests/BEHAVIOURS.md V20: several reasons are several lines.
TEST(WhyCommand, ShowsAllLimitsThatAreInTheWay) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(
        json_reply(R"({"session": "x", "name": "s1", "status": "PENDING", "code": "limit", "slot": null,
        "text": "2 limits are in the way:\n- domain d: cpu 1 + 2 of 2\n- user u: sessions 1 + 1 of 1", "hint": "", 
        "lacking": [], "holders": [],
        "limits": [], "unmet": [], "blocked_by": null, "queue_position": 1})"));
  };
  const auto ran = w.run({"session", "why", "s1"});
  EXPECT_NE(
      ran.out.find(
          "  2 limits are in the way:\n  - domain d: cpu 1 + 2 of 2\n  - user u: sessions 1 + 1 of 1\n"),
      std::string::npos)
      << ran.out;
}

TEST(WhyCommand, OfAnEndedSessionTellsHowItEnded) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest& request) {
    auto job = session("job", "ERROR");
    job["reason"] = json::object{{"code", "start-failed"}, {"slot", nullptr}};
    job["message"] = "no such file";
    return Result<HttpReply>(json_reply(request.target.ends_with("/why")
                                            ? R"({"name": "job", "status": "ERROR", "code": null})"
                                            : json::serialize(job)));
  };
  EXPECT_EQ(w.run({"why", "job"}).out, "job ended ERROR: start-failed: no such file\n");
}

TEST(GroupCommand, ShowsOne) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(json_reply(R"({"groups": [{"name": "gpu", "order": "fifo"}]})"));
  };
  EXPECT_NE(w.run({"group", "show", "gpu"}).out.find("fifo"), std::string::npos);
  EXPECT_EQ(w.run({"group", "show", "cpu"}).exit, kNotFound);
}

TEST(ResourceCommand, StillShowsTheIndicatorByItself) {
  EXPECT_EQ(sent({"resource"}, R"({"group": "default", "slots": []})").call, "GET /v1/resource");
  EXPECT_EQ(sent({"resource", "nonsense"}).exit, kUsage);
}

// ---- the machine, and agents that can start no kernel ----

json::object check_line(const char* check, const char* status, const char* found, const char* advice) {
  return {{"check", check}, {"status", status}, {"found", found}, {"advice", advice}};
}

TEST(AgentCheck, PrintsALinePerItemAndWhatToDo) {
  FakeWorld world;
  world.checks = {check_line("kernel", "ok", "6.1.0", ""),
                  check_line("clock", "warning", "not synchronized", "Install chrony.")};
  const Ran ran = world.run({"agent", "check"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "ok       kernel              6.1.0\n"
            "warning  clock               not synchronized\n"
            "                             Install chrony.\n"
            "Containers can start here.\n");
  EXPECT_EQ(world.checked, "/var/lib/berth");
  EXPECT_TRUE(world.server.requests.empty()) << "it asks no server";
}

TEST(AgentCheck, FailsWhereNoContainerStartsAndShowsNoControlCharacter) {
  FakeWorld world;
  world.checks = {check_line("a container starts", "FAILS", "runc: \x1b[2J", "Mend it.")};
  const Ran ran = world.run({"agent", "check", "--data", "/srv/berth", "--runtime", "crun"});
  EXPECT_EQ(ran.exit, 1);
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos);
  EXPECT_NE(ran.out.find("Containers cannot start here"), std::string::npos) << ran.out;
  EXPECT_EQ(world.checked, "/srv/berth");
  EXPECT_EQ(world.checked_runtime, "crun");
}

TEST(AgentCheck, IsJsonForPrograms) {
  FakeWorld world;
  world.checks = {check_line("kernel", "ok", "6.1.0", ""),
                  check_line("overlay", "FAILS", "no", "modprobe overlay")};
  const Ran ran = world.run({"agent", "check", "-o", "json"});
  EXPECT_EQ(ran.exit, 1);
  const json::value told = json::parse(ran.out);
  EXPECT_NE(ran.out.find("\"overlay\""), std::string::npos);
  EXPECT_EQ(ran.out.find("Containers"), std::string::npos);
}

TEST(AgentText, SaysThatAnAgentIsUnfitAndWhy) {
  json::object agent{{"name", "a1"},
                     {"state", "ALIVE"},
                     {"draining", true},
                     {"fit", false},
                     {"unfit", "start-failed: no cgroup"}};
  EXPECT_NE(agent_text(agent, {}).find("State         UNFIT\nUnfit         start-failed: no cgroup\n"),
            std::string::npos)
      << agent_text(agent, {});
  EXPECT_NE(print_list({agent}, agent_listing(kNow), {}).find("UNFIT"), std::string::npos);
  agent["state"] = "LOST";
  EXPECT_EQ(print_list({agent}, agent_listing(kNow), {}).find("UNFIT"), std::string::npos);
}

}  // namespace
}  // namespace berth::cli
