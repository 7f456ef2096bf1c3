#include "tests/unit/slurm/fake_cell.h"

#include <algorithm>
#include <fstream>

#include "ops/cli/slurm/batch_script.h"
#include "ops/cli/slurm/slurm_command.h"

namespace berth::cli::slurm {
namespace {

namespace json = boost::json;

// The id whose job is `number`.
std::string id_of(unsigned number) {
  char text[40];
  std::snprintf(text, sizeof text, "00000000-%04x-4000-8000-000000000000", number);
  return text;
}

struct Row {
  unsigned job;
  const char *name, *status, *user, *project, *group;
  const char* reason = "";
  json::array agents = {};
  const char *placed = "", *running = "", *ended = "", *result = "";
  int exit = 0;
  const char* end = "";
  const char* limit = "";
};

json::value or_null(const char* text) { return *text == '\0' ? json::value() : json::value(text); }

json::value row(const Row& r) {
  json::object s = session(r.name, r.status);
  s["id"] = id_of(r.job);
  s["group"] = r.group;
  s["owner"] = {{"domain", "default"}, {"project", r.project}, {"user", r.user}};
  s["created_at"] = "2025-12-31T20:00:00Z";
  s["scheduled_at"] = or_null(r.placed);
  s["running_at"] = or_null(r.running);
  s["ended_at"] = or_null(r.ended);
  s["result"] = or_null(r.result);
  s["reason"] = *r.reason == '\0' ? json::value() : json::value{{"code", r.reason}, {"slot", nullptr}};
  s["agents"] = r.agents;
  s["priority"] = 10;
  s["command"] = {"python3", "train.py"};
  s["batch_timeout"] = or_null(r.limit);
  if (*r.ended != '\0') s["exit_code"] = r.exit;
  if (*r.end != '\0')
    s["kernels"] = json::array{json::object{{"name", "main1"}, {"end", r.end}, {"exit_code", r.exit}}};
  return s;
}

json::array live() {
  return {row({.job = 1001,
               .name = "train-1001",
               .status = "RUNNING",
               .user = "admin",
               .project = "ml",
               .group = "default",
               .agents = {"a1"},
               .placed = "2025-12-31T22:00:00Z",
               .running = "2025-12-31T22:00:30Z",
               .limit = "4h"}),
          row({.job = 1002,
               .name = "tune",
               .status = "PENDING",
               .user = "admin",
               .project = "ml",
               .group = "gpu",
               .reason = "no-device"}),
          row({.job = 1003,
               .name = "late",
               .status = "PENDING",
               .user = "admin",
               .project = "default",
               .group = "default",
               .reason = "start-time"}),
          row({.job = 1004,
               .name = "boot",
               .status = "PULLING",
               .user = "admin",
               .project = "default",
               .group = "default",
               .agents = {"a2", "a3"},
               .placed = "2025-12-31T23:59:30Z"}),
          row({.job = 1050,
               .name = "notebook",
               .status = "RUNNING",
               .user = "bob",
               .project = "ml",
               .group = "gpu",
               .agents = {"g1"},
               .placed = "2025-12-29T20:00:00Z",
               .running = "2025-12-29T20:00:00Z"})};
}

json::array all() {
  json::array sessions = live();
  const auto add = [&](unsigned job, const char* name, const char* status, const char* reason,
                       const char* result, int exit, const char* end) {
    sessions.push_back(row({.job = job,
                            .name = name,
                            .status = status,
                            .user = "admin",
                            .project = "ml",
                            .group = "default",
                            .reason = reason,
                            .agents = {"a1"},
                            .placed = "2025-12-31T21:00:00Z",
                            .running = "2025-12-31T21:00:02Z",
                            .ended = "2025-12-31T21:01:00Z",
                            .result = result,
                            .exit = exit,
                            .end = end,
                            .limit = "1h"}));
  };
  add(901, "good-901", "TERMINATED", "kernel-ended", "SUCCESS", 0, "EXITED");
  add(902, "bad", "TERMINATED", "kernel-ended", "FAILED", 3, "EXITED");
  add(903, "shot", "TERMINATED", "kernel-ended", "FAILED", 137, "SIGNALLED");
  add(904, "slow", "TERMINATED", "batch-timeout", "FAILED", 143, "STOPPED");
  add(905, "gone", "TERMINATED", "user-requested", "FAILED", 143, "STOPPED");
  add(906, "lost", "TERMINATED", "agent-lost", "FAILED", 0, "");
  add(907, "big", "TERMINATED", "kernel-ended", "FAILED", 137, "OUT_OF_MEMORY");
  add(908, "pushed", "TERMINATED", "preempted", "FAILED", 143, "STOPPED");
  return sessions;
}

json::value agent(const char* name, const char* group, const char* state, bool draining, const char* taken,
                  const char* free) {
  json::array kernels;
  if (taken != std::string("0")) kernels.push_back(json::object{{"id", "k"}});
  return {{"name", name},
          {"group", group},
          {"state", state},
          {"draining", draining},
          {"slots",
           {{"cpu", {{"capacity", "4"}, {"taken", taken}, {"free", free}}},
            {"mem", {{"capacity", "8589934592"}, {"taken", "0"}, {"free", "8589934592"}}},
            {"cuda.shares", {{"capacity", "2"}, {"taken", "0"}, {"free", "2"}}}}},
          {"kernels", kernels}};
}

HttpReply list_reply(const char* key, json::array items) {
  return json_reply(
      json::serialize(json::object{{key, std::move(items)}, {"next_page_token", nullptr}, {"position", 17}}));
}

HttpReply terminate_reply(const std::string& body) {
  json::array results;
  const json::value asked = json::parse(body);
  for (const auto& id : asked.at("ids").as_array())
    results.push_back(
        json::object{{"id", id}, {"outcome", id == json::string(id_of(1050)) ? "unknown" : "ending"}});
  return list_reply("results", results);
}

HttpReply answer(const HttpRequest& request) {
  const auto is = [&](const char* path) { return request.target.starts_with(path); };
  if (request.method == "POST" && is("/v1/sessions/terminate")) return terminate_reply(request.body);
  if (request.method == "POST" && is("/v1/sessions")) {
    json::object made = session("made", "PENDING");
    made["id"] = json::parse(request.body).at("session_ids").at(0);
    auto reply = list_reply("sessions", {made});
    reply.status = 201;
    return reply;
  }
  if (is("/v1/sessions/")) {  // of sbatch --wait: it has ended
    json::object ended = session("made", "TERMINATED");
    ended["result"] = "FAILED";
    ended["exit_code"] = 3;
    return json_reply(json::serialize(ended));
  }
  if (is("/v1/sessions"))
    return list_reply("sessions", request.target.find("state=all") != std::string::npos ? all() : live());
  if (is("/v1/groups"))
    return list_reply("groups", {{{"name", "default"}}, {{"name", "gpu"}}, {{"name", "spare"}}});
  if (is("/v1/agents"))
    return list_reply(
        "agents",
        {agent("a1", "default", "ALIVE", false, "4", "0"), agent("a2", "default", "ALIVE", false, "1", "3"),
         agent("a3", "default", "ALIVE", false, "1.5", "2.5"),
         agent("a4", "default", "ALIVE", false, "0", "4"), agent("a5", "default", "ALIVE", true, "0", "4"),
         agent("a6", "default", "ALIVE", true, "2", "2"), agent("a7", "default", "LOST", false, "0", "4"),
         agent("g1", "gpu", "ALIVE", false, "1", "3")});
  if (is("/v1/whoami"))
    return json_reply(
        R"({"user": "admin", "domain": "default", "project": "default", "role": "superadmin"})");
  return problem(404, "no-such-route");
}

// A request's body without what is the same in each of sbatch's: the text that begins its script.
std::string shortened(std::string body) {
  const auto begin = body.find("\"f=$(mktemp"), end = body.find(",\"sbatch\",");
  if (begin != std::string::npos && end != std::string::npos && begin < end)
    body.replace(begin, end - begin, "STARTER");
  return body;
}

std::string marked(const std::string& text, const char* mark) {
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    all += mark + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return all;
}

}  // namespace

void serve_cell(FakeWorld& world) {
  world.server.answer = [](const HttpRequest& request) { return Result<HttpReply>(answer(request)); };
  world.new_keys = {id_of(4711), "key-1"};
  world.variables["BERTH_SLURM_IMAGE"] = "python:3.11";
  world.variables["HOME_OF_DATA"] = "/data";
  world.files["job.sh"] =
      "#!/bin/sh\n#SBATCH --job-name=from-script --mem=2G   # what it needs\n\n#SBATCH -p gpu\necho hello\n";
  world.files["plain.sh"] = "#!/usr/bin/env bash\nhostname\n";
  world.files["unknown.sh"] = "#!/bin/sh\n#SBATCH --mem=1G\n#SBATCH --frobnicate=3\ntrue\n";
  world.files["refused.sh"] = "#!/bin/sh\n#SBATCH --array=1-10\ntrue\n";
  world.files["late.sh"] = "#!/bin/sh\ntrue\n#SBATCH --mem=1G\n";
  world.files["word.sh"] = "#!/bin/sh\n#SBATCH gpu\n";
  world.files["quote.sh"] = "#!/bin/sh\n#SBATCH --job-name=\"a\n";
  world.files["stuck.sh"] = "#!/bin/sh\n#SBATCH--mem=1G\n";
  world.files["dos.sh"] = "#!/bin/sh\r\ntrue\r\n";
  world.files["none.sh"] = "echo hello\n";
  world.files["empty.sh"] = "";
  world.files["-"] = "#!/bin/sh\necho from stdin\n";
}

std::string transcript_of(const std::string& command) {
  FakeWorld world;
  serve_cell(world);
  const auto words = words_of_line(command);
  const auto ran = world.run(as_called(words->at(0), {words->begin() + 1, words->end()}));
  std::string text = ran.out + marked(ran.err, "! ");
  for (const auto& request : world.server.requests)
    if (request.method != "GET")
      text += "> " + request.method + " " + request.target + " " + shortened(request.body) + "\n";
  return text + (ran.exit == 0 ? "" : "exit " + std::to_string(ran.exit) + "\n");
}

std::vector<Entry> read_transcript(const std::string& path) {
  std::vector<Entry> entries;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("$ "))
      entries.push_back({line.substr(2), ""});
    else if (!entries.empty())
      entries.back().output += line + "\n";
  }
  return entries;
}

}  // namespace berth::cli::slurm
