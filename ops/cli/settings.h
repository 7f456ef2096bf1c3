// The server's address and the key. A flag beats the environment, which beats the configuration file, which
// beats the context of `berth login`, which beats the defaults; a data folder (of `berth up`) stands for the
// address and the key in the folder, at the level that names the folder.
//
//   key              flag            environment                     file (~/.config/berth/config.toml)
//   api.endpoint     --endpoint      BERTH__API__ENDPOINT            [api] endpoint = "http://127.0.0.1:7410"
//   api.key_file     --key-file      BERTH__API__KEY_FILE            [api] key_file = "..."
//   api.access_key                   BERTH_ACCESS_KEY, BERTH__API__ACCESS_KEY    [api] access_key
//   api.secret_key                   BERTH_SECRET_KEY, BERTH__API__SECRET_KEY    [api] secret_key
//   api.ca           --ca            BERTH__API__CA                  [api] ca = "FILE", of an https server
//   api.fingerprint  --fingerprint   BERTH__API__FINGERPRINT         [api] fingerprint = "sha256:..."
//   data.dir         --data          BERTH_DATA, BERTH__DATA__DIR    [data] dir
//   output.format    -o              BERTH__OUTPUT__FORMAT           [output] format
//   output.color     --color         BERTH__OUTPUT__COLOR            [output] color = "auto"|"always"|"never"
//   image.builder    --builder       BERTH__IMAGE__BUILDER           [image] builder = "PROGRAM"
//   image.build_lock                 BERTH__IMAGE__BUILD_LOCK        [image] build_lock = "FILE"
//   scheduler.policies  --policies   BERTH__SCHEDULER__POLICIES      [scheduler] policies = "DIR"
// image.* are for `berth image build` and `berth up`; builds that share a lock run one at a time.
// scheduler.policies is for `berth up` and `berth schedule`.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ops/cli/exit_code.h"

namespace berth::cli {

inline constexpr const char* kDefaultEndpoint = "http://127.0.0.1:7410";
inline constexpr const char* kDefaultData = "/var/lib/berth";

// The first wins.
enum class Origin { kFlag, kEnvironment, kFile, kContext, kDefault };

struct Setting {
  std::string value;
  Origin origin = Origin::kDefault;
  std::string where;  // "--endpoint", "BERTH__API__ENDPOINT", the file's path, "default"
};

// All keys, in the order of `berth config show`.
struct SettingKey {
  const char* name;
  const char* flag;                      // nullptr: none
  std::vector<const char*> environment;  // the first one set counts
  const char* fallback;                  // nullptr: none
  bool secret = false;
};
const std::vector<SettingKey>& setting_keys();

using Environment = std::function<std::optional<std::string>(const char*)>;
using Flags = std::map<std::string, std::string>;  // key name -> value given on the command line

// Values by level, so that a data folder given by flag beats an endpoint of the environment.
class Settings {
 public:
  // `file_text`: contents of the configuration file, none if there is no such file. Failures: usage (unknown
  // key, bad TOML, an unknown BERTH__ variable).
  static Outcome<Settings> load(const Flags& flags, const Environment& environment,
                                const std::vector<std::string>& environment_names,
                                const std::string& file_path, const std::optional<std::string>& file_text);

  // What `berth login` left: a level between the configuration file and the defaults.
  void add_context(const std::map<std::string, std::string>& values, const std::string& where);

  // As if the option of that key had been given.
  void set_flag(const std::string& key, const std::string& value, const std::string& where);

  // The winning value of a key; nullopt if the key is not set and has no default.
  std::optional<Setting> get(std::string_view key) const;
  std::optional<Setting> get(std::string_view key, Origin level) const;

 private:
  std::map<std::string, std::map<Origin, Setting>, std::less<>> values_;
};

// Reads a small text file; nullopt if it cannot be read.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

struct Credentials {
  std::string access_key;
  std::string secret_key;
};

// Reads a key file (controller/api/auth/key_file.h); tests fake it.
using ReadKeyFile = std::function<Result<Credentials>(const std::string& path)>;

struct Server {
  std::string host;
  std::string port;
  Setting endpoint;  // value as "http://host:port"
  bool tls = false;
  std::string fingerprint = {};  // of its certificate; else `ca` vouches for it, or the machine's authorities
  std::string ca = {};           // a file in PEM
};

// Failures: usage (bad URL), unreachable (the data folder has no running Berth).
Outcome<Server> find_server(const Settings& settings, const ReadFile& read);
inline constexpr Code kNoKeyCode = "no-key";
// Failures: denied (no key found, or the file is not a private key file; the failure names the places).
Outcome<Credentials> find_credentials(const Settings& settings, const ReadKeyFile& read);

// What is sent there does not leave this machine: localhost, 127.0.0.0/8, [::1].
bool is_loopback(const Server& server);

// "http://127.0.0.1:7410", "https://localhost:7410", "127.0.0.1:7410", "[::1]:80", "localhost". Failures:
// usage.
Outcome<Server> parse_endpoint(const Setting& endpoint);

}  // namespace berth::cli
