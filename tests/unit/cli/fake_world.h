// A machine made of strings, and a server that is a function.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ops/cli/app.h"
#include "ops/cli/output/json_text.h"
#include "tests/unit/cli/fake_socket.h"

namespace berth::cli {

inline constexpr Timestamp kNow = 1'767'225'600 * kSecond;  // 2026-01-01T00:00:00Z

inline HttpReply json_reply(const std::string& body, unsigned status = 200, std::int64_t position = 7) {
  return {status,
          {{"content-type", status >= 400 ? "application/problem+json" : "application/json"},
           {"x-berth-position", std::to_string(position)}},
          body};
}

inline HttpReply problem(unsigned status, const std::string& code, const std::string& detail = "it is so",
                         const std::string& hint = "") {
  boost::json::object body{{"status", status}, {"code", code}, {"detail", detail}, {"request_id", "r-1"}};
  if (!hint.empty()) body["hint"] = hint;
  return json_reply(boost::json::serialize(body), status);
}

struct FakeServer {
  // Answers calls; an Error is a connection that failed.
  std::function<Result<HttpReply>(const HttpRequest&)> answer = [](const HttpRequest&) {
    return Result<HttpReply>(problem(404, "no-such-route"));
  };
  std::deque<std::string> stream_chunks;  // what streams get, a connection breaks at an empty one
  HttpReply stream_reply{200, {{"content-type", "text/event-stream"}}, {}};  // the head of each
  Error stream_error = make_error("interrupted", "stopped by Ctrl-C");       // behind the last chunk
  std::vector<HttpRequest> requests;
  std::vector<long> pauses_ms;
  std::string host_port;
  int pauses_until_interrupt = -1;
};

class FakeTransport final : public Transport {
 public:
  explicit FakeTransport(FakeServer& server) : server_(server) {}
  Result<HttpReply> call(const HttpRequest& request, Deadline) override {
    server_.requests.push_back(request);
    return server_.answer(request);
  }
  Result<HttpReply> stream(const HttpRequest& request, Deadline, std::chrono::milliseconds,
                           const std::function<bool(std::string_view)>& on_bytes) override {
    server_.requests.push_back(request);
    while (!server_.stream_chunks.empty()) {
      const std::string chunk = server_.stream_chunks.front();
      server_.stream_chunks.pop_front();
      if (chunk.empty()) return server_.stream_reply;
      if (!on_bytes(chunk)) return server_.stream_reply;
    }
    return server_.stream_error;
  }
  bool pause(std::chrono::milliseconds duration) override {
    server_.pauses_ms.push_back(static_cast<long>(duration.count()));
    return server_.pauses_until_interrupt < 0 || server_.pauses_until_interrupt-- > 0;
  }

 private:
  FakeServer& server_;
};

struct Ran {
  int exit = 0;
  std::string out, err;
};

struct FakeWorld {
  FakeServer server;
  FakeSockets sockets;
  Descriptors descriptors;
  std::map<std::string, std::string> variables;
  std::map<std::string, std::string> files;
  std::map<std::string, Credentials> keys{{"/var/lib/berth/keys/admin.json", {"BKadmin", "secret"}}};
  std::optional<WriterGenerations> writers_of_before;  // in cluster.json
  bool terminal = false;
  Duration utc_offset = 0;
  std::set<std::string> foreign;     // files that are not taken
  std::vector<std::string> browsed;  // URLs that a browser was given
  bool has_browser = true;
  std::string unwritable;            // the private file that no write reaches
  std::deque<std::string> new_keys;  // the next ones; none left: "key-1", "key-2", ...
  boost::json::array checks;         // of this machine, for `agent check`
  std::string checked;               // the data folder that they were asked for
  std::string checked_runtime;       // the runtime that they were asked for
  std::deque<std::string> typed;     // on the terminal, line by line; none left: there is no terminal

  void fake_keys(World& world) {
    world.host_secret = [this](const std::string& path) -> Result<std::string> {
      if (!files.contains(path)) return make_error("cluster-file-missing", "there is no " + path);
      return std::string("of the host");
    };
    world.writers_of_before = [this](const std::string&) -> Result<std::optional<WriterGenerations>> {
      return writers_of_before;
    };
    world.begin_writers = [this](const std::string&, const WriterGenerations& given_out) -> Result<void> {
      writers_of_before = given_out;
      return {};
    };
    world.finish_writers = [this](const std::string&) -> Result<void> {
      writers_of_before.reset();
      return {};
    };
  }

  Ran run(const std::vector<std::string>& words) {
    std::ostringstream out, err;
    World world;
    fake_keys(world);
    world.check_machine = [this](const std::string& data, const std::string& runtime) {
      checked = data;
      checked_runtime = runtime;
      return checks;
    };
    world.out = &out;
    world.err = &err;
    world.out_is_terminal = terminal;
    world.config_path = "/home/u/config.toml";
    world.environment = [this](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    for (const auto& [name, value] : variables)
      if (name.rfind("BERTH__", 0) == 0) world.environment_names.push_back(name);
    world.no_color = variables.count("NO_COLOR") != 0;
    world.read_file = [this](const std::string& path) {
      const auto found = files.find(path);
      return found == files.end() ? std::nullopt : std::optional(found->second);
    };
    world.read_config =
        world.read_private = [this](const std::string& path) -> Outcome<std::optional<std::string>> {
      if (foreign.contains(path))
        return Failure{kFailed, "context-file-open", "others may write " + path, {}, {}};
      const auto found = files.find(path);
      return found == files.end() ? std::nullopt : std::optional(found->second);
    };
    world.write_file = [this](const std::string& path, const std::string& text) {
      if (path.starts_with("/nowhere")) return false;
      files[path] = text;
      return true;
    };
    world.read_key = [this](const std::string& path) -> Result<Credentials> {
      const auto found = keys.find(path);
      if (found == keys.end()) return make_error("key-file-missing", "there is no " + path);
      return found->second;
    };
    world.now = [] { return kNow; };
    world.utc_offset = [this](Timestamp) { return utc_offset; };
    world.new_key = [this, n = 0]() mutable {
      return new_keys.empty() ? "key-" + std::to_string(++n) : next_key();
    };
    world.new_token = [] { return std::string(64, 'c'); };
    const auto ask = [this](const std::string& prompt) -> Result<std::string> {
      if (typed.empty()) return make_error("no-terminal", "there is no terminal to ask on: " + prompt);
      const std::string line = typed.front();
      typed.pop_front();
      return line;
    };
    world.ask = world.ask_secret = ask;
    world.open_browser = [this](const std::string& url) {
      if (has_browser) browsed.push_back(url);
      return has_browser;
    };
    world.host_name = [] { return "lap top"; };
    world.write_private = [this](const std::string& path, const std::string& text) -> Result<void> {
      if (path == unwritable) return make_error("context-file-unwritable", "no room for " + path);
      files[path] = text;
      return {};
    };
    connect(world);
    const int exit = cli::run(world, words);
    return {exit, out.str(), err.str()};
  }

 private:
  std::string next_key() {
    std::string key = std::move(new_keys.front());
    new_keys.pop_front();
    return key;
  }

  void connect(World& world) {
    world.connect = [this](const Server& where, bool) {
      server.host_port = where.host + ":" + where.port;
      return std::make_unique<FakeTransport>(server);
    };
    world.make_socket = [this](const Server&) { return std::make_unique<FakeSocket>(sockets); };
    world.descriptors = descriptors;
  }
};

inline std::string header_of(const HttpRequest& request, const std::string& name) {
  for (const auto& [key, value] : request.headers)
    if (key == name) return value;
  return {};
}

// A session as the API shows it.
inline boost::json::object session(const std::string& name, const std::string& status) {
  boost::json::object s{{"id", "id-" + name},
                        {"name", name},
                        {"status", status},
                        {"result", nullptr},
                        {"type", "interactive"},
                        {"image", "python:3.11"},
                        {"group", "default"},
                        {"resources", {{"cpu", "0.5"}, {"mem", "268435456"}, {"cuda.shares", "1"}}},
                        {"owner", {{"domain", "default"}, {"project", "default"}, {"user", "admin"}}},
                        {"created_at", "2025-12-31T23:58:00Z"},
                        {"running_at", nullptr},
                        {"ended_at", nullptr},
                        {"reason", nullptr},
                        {"exit_code", nullptr},
                        {"agents", boost::json::array()},
                        {"kernels", boost::json::array()}};
  if (status == "RUNNING") s["running_at"] = "2025-12-31T23:59:00Z", s["agents"] = boost::json::array{"a1"};
  if (status == "PENDING") s["reason"] = boost::json::object{{"code", "no-device"}, {"slot", "cuda.shares"}};
  return s;
}

}  // namespace berth::cli
