// Shell: a command's API, output and time. main() builds a shell for a terminal, tests for strings.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "events/base/clock.h"
#include "events/codec/writer_secrets.h"
#include "ops/cli/http/api.h"
#include "ops/cli/http/web_socket.h"
#include "ops/cli/login/contexts.h"
#include "ops/cli/output/table.h"
#include "ops/cli/settings.h"

namespace berth::cli {

// What bytes of programs in kernels go through; all words of the CLI's own go to the World's streams.
struct Descriptors {
  int in = 0, out = 1, err = 2;
};

// The machine around the CLI; main.cc has the real one.
struct World {
  Descriptors descriptors;
  std::ostream* out = nullptr;
  std::ostream* err = nullptr;
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  int columns = 80;         // of the terminal
  UtcOffset utc_offset;     // of the zone in TZ, else of the machine
  bool no_color = false;    // NO_COLOR is set and not empty
  std::string config_path;  // of the configuration file
  Environment environment;
  std::vector<std::string> environment_names;  // names that begin with BERTH
  ReadFile read_file;
  // The configuration file, and one that write_private() made: none if there is no such file; what others may
  // have written is refused.
  std::function<Outcome<std::optional<std::string>>(const std::string& path)> read_config;
  std::function<Outcome<std::optional<std::string>>(const std::string& path)> read_private;
  std::function<bool(const std::string& path, const std::string& text)>
      write_file;  // replaces the file; false: it failed
  ReadKeyFile read_key;
  std::function<Timestamp()> now;          // wall clock
  std::function<std::string()> new_key;    // idempotency keys: a random UUID
  std::function<std::string()> new_token;  // a secret: 64 hex digits
  // Of the secrets of writers' keys in a cluster.json: whose keys are still of the one before (nullopt: no
  // rotation is under way), a new one is made, the one before is given up.
  std::function<Result<std::optional<WriterGenerations>>(const std::string& path)> writers_of_before;
  std::function<Result<void>(const std::string& path, const WriterGenerations&)> begin_writers;
  std::function<Result<void>(const std::string& path)> finish_writers;
  std::function<std::unique_ptr<Transport>(const Server&, bool catch_signals)> connect;
  std::function<std::unique_ptr<WebSocket>(const Server&)> make_socket;
  // Of the host's key pair, from a cluster.json.
  std::function<Result<std::string>(const std::string& path)> host_secret;
  // A line of the terminal, and one that it does not show. Code: no-terminal.
  std::function<Result<std::string>(const std::string& prompt)> ask;
  std::function<Result<std::string>(const std::string& prompt)> ask_secret;
  std::function<std::string()> host_name;
  // What this machine has of what containers need (agents/check); `data`: the agent's data folder.
  std::function<boost::json::array(const std::string& data, const std::string& runtime)> check_machine;
  std::string image_builder;     // ops/images/build beside this program; empty: there is none
  std::string image_build_lock;  // the file on which builds of images wait for each other
  std::function<bool(const std::string& url)> open_browser;  // false: there is none
  // Replaces a file of this user alone, in a folder that is made if it is missing.
  std::function<Result<void>(const std::string& path, const std::string& text)> write_private;
};

// Options that every command takes, before or after its own.
struct GlobalOptions {
  std::string endpoint, key_file, ca, fingerprint, data, output, color, at;
  bool quiet = false;
  bool no_headers = false;
};

// A WebSocket that is not open yet, and what signs the request that opens it.
struct SignedSocket {
  std::unique_ptr<WebSocket> socket;
  RequestSigner sign;
};

// Columns that output may take; 0: any.
int width_of(const World& world);

class Shell {
 public:
  Shell(World& world, const GlobalOptions& options) : world_(world), options_(options) {}
  ~Shell();

  // Loads the settings and the output style. Failures: usage.
  Outcome<bool> prepare();

  World& world() { return world_; }
  std::ostream& out() { return *world_.out; }
  std::ostream& err() { return *world_.err; }
  const Style& style() const { return style_; }
  Style& style() { return style_; }
  const Settings& settings() const { return settings_; }
  // The time that ages count to: of the moment that --at shows, when that is known; else of now.
  Timestamp now() const;
  // --at is given.
  bool is_past() const { return !options_.at.empty(); }
  bool quiet() const { return quiet_ || options_.quiet; }
  // Of a command that has a --quiet of its own.
  void be_quiet() { quiet_ = true; }

  // "14:03" is the last one of the reader's clock; all else stays as it is, for the server to judge.
  std::string moment(const std::string& text) const;

  // Instead of the server that the settings name. REQUIRES: before api().
  void use_endpoint(const std::string& url) { settings_.set_flag("api.endpoint", url, url); }

  // Connects at the first call. Failures: unreachable, denied (no key found).
  Outcome<Api*> api();
  // The same for what needs no key. A command uses one of the two.
  Outcome<Api*> api_without_key();
  // The same for a server and a key that no setting names.
  Api* api_of(const Server& server, const Credentials& credentials);
  // Where the settings lead. Failures: usage, unreachable.
  Outcome<Server> server() const;
  // To the same server with the same key as api(). Failures: usage, unreachable, denied (no key found).
  Outcome<SignedSocket> make_socket();

  // What `berth login` left. Failures: usage (a file that is damaged), failed (it cannot be written).
  Outcome<Contexts> contexts() const;
  Outcome<bool> keep(const Contexts& contexts);
  // Makes Ctrl-C end a call with "interrupted" instead of the process. REQUIRES: before api().
  void catch_signals() { catch_signals_ = true; }

  // Prints a line of progress on stderr, unless --quiet.
  void note(const std::string& text);
  // Prints a line that the next status replaces on a terminal; elsewhere like note(), but only if the line
  // differs from the last one.
  void status(const std::string& text);
  void end_status();

 private:
  Api* connect(const Server& server, RequestSigner sign);

  World& world_;
  const GlobalOptions& options_;
  bool quiet_ = false;
  Settings settings_;
  Style style_;
  bool catch_signals_ = false;
  std::string last_status_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Api> api_;
};

// Adds date, host, version and signature (controller/api/README.md).
RequestSigner make_signer(const Server& server, const Credentials& credentials,
                          std::function<Timestamp()> now);

// Prints "berth: name-in-use: ... " and the hint. With a format for programs (json, jsonl, yaml) it is one
// line of problem+json: the server's as it came, or the CLI's own failure in the same members.
void print_failure(std::ostream& err, const Failure& failure, Format format, bool color);

}  // namespace berth::cli
