// Contexts: the servers that `berth login` signed in to, each with its key pair, in
// ~/.config/berth/contexts.json (0600). The current one is used where nothing else names server and key.
#pragma once

#include <map>
#include <string>

#include "ops/cli/exit_code.h"

namespace berth::cli {

struct Context {
  std::string endpoint;  // "https://berth.example:7410"
  std::string user;
  std::string access_key;
  std::string secret_key;
  std::string expires_at;   // RFC 3339
  std::string fingerprint;  // of the server's certificate, may be empty
  std::string ca;           // a file, may be empty
};

struct Contexts {
  std::string current;  // may be empty
  std::map<std::string, Context> all;

  const Context* find_current() const;
};

// Beside the configuration file.
std::string contexts_path(const std::string& config_path);

// Failure: usage (the file is no such JSON).
Outcome<Contexts> read_contexts(const std::string& path, const std::string& text);
std::string to_text(const Contexts& contexts);

// As settings (settings.h).
std::map<std::string, std::string> settings_of(const Context& context);

}  // namespace berth::cli
