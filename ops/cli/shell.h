// What a command gets: the API, where to print and how, the time. Built by main() for a terminal and by tests
// for strings.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "events/base/clock.h"
#include "ops/cli/http/api.h"
#include "ops/cli/output/table.h"
#include "ops/cli/settings.h"

namespace berth::cli {

// Everything of the machine around the CLI; main.cc has the real one.
struct World {
  std::ostream* out = nullptr;
  std::ostream* err = nullptr;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  int columns = 80;
  bool no_color = false;    // NO_COLOR is set and not empty
  std::string config_path;  // of the configuration file
  Environment environment;
  std::vector<std::string> environment_names;  // that begin with BERTH
  ReadFile read_file;
  std::function<bool(const std::string& path, const std::string& text)>
      write_file;  // replaces it; false: it cannot
  ReadKeyFile read_key;
  std::function<Timestamp()> now;        // wall clock
  std::function<std::string()> new_key;  // idempotency keys: a random UUID
  std::function<std::unique_ptr<Transport>(const Server&, bool catch_signals)> connect;
};

// Options that every command takes, before or after its own.
struct GlobalOptions {
  std::string endpoint, key_file, data, output, color;
  bool quiet = false;
  bool no_headers = false;
};

class Shell {
 public:
  Shell(World& world, const GlobalOptions& options) : world_(world), options_(options) {}
  ~Shell();

  // Settings, output style and so on; failures: usage.
  Outcome<bool> prepare();

  World& world() { return world_; }
  std::ostream& out() { return *world_.out; }
  std::ostream& err() { return *world_.err; }
  const Style& style() const { return style_; }
  Style& style() { return style_; }
  const Settings& settings() const { return settings_; }
  Timestamp now() const { return world_.now(); }
  bool quiet() const { return options_.quiet; }

  // Connects at the first call. Failures: unreachable, denied (no key found).
  Outcome<Api*> api();
  // From now on Ctrl-C ends a call with "interrupted" instead of the process. REQUIRES: before api().
  void catch_signals() { catch_signals_ = true; }

  // A line of progress on stderr, unless --quiet.
  void note(const std::string& text);
  // A line that the next one replaces on a terminal; elsewhere like note, but only when it differs from the
  // last one.
  void status(const std::string& text);
  void end_status();

 private:
  World& world_;
  const GlobalOptions& options_;
  Settings settings_;
  Style style_;
  bool catch_signals_ = false;
  std::string last_status_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Api> api_;
};

// Date, host, version and signature (controller/api/README.md).
RequestSigner make_signer(const Server& server, const Credentials& credentials,
                          std::function<Timestamp()> now);

// "berth: name-in-use: ... " and its hint, on stderr.
void print_failure(std::ostream& err, const Failure& failure, bool color);

}  // namespace berth::cli
