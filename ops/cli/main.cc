// berth: the command line. Everything of the machine that the CLI touches is built here.
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "controller/api/auth/host_key.h"
#include "controller/api/auth/key_file.h"
#include "controller/runtime/allocator.h"
#include "controller/runtime/cluster_identity.h"
#include "events/base/files/home_folder.h"
#include "events/base/files/private_files.h"
#include "events/base/files/standard_streams.h"
#include "events/base/hash.h"
#include "events/base/secrets.h"
#include "events/base/service/last_words.h"
#include "events/base/system_clock.h"
#include "ops/cli/app.h"
#include "ops/cli/apps/browser.h"
#include "ops/cli/check_machine.h"
#include "ops/cli/http/http_client.h"
#include "ops/cli/http/web_socket.h"
#include "ops/cli/local_zone.h"
#include "ops/cli/login/ask_terminal.h"
#include "ops/cli/slurm/slurm_command.h"

extern char** environ;

namespace berth::cli {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string config_path() {
  if (const auto path = variable("BERTH_CONFIG"); path && !path->empty()) return *path;
  if (const auto home = variable("XDG_CONFIG_HOME"); home && !home->empty())
    return *home + "/berth/config.toml";
  return home_folder() + "/.config/berth/config.toml";
}

// None of what is read at once is longer: job scripts, tokens, key files, schedules.
constexpr std::size_t kFileMax = 64u << 20;

std::optional<std::string> read_file(const std::string& path) {
  std::error_code ignored;
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path, ignored)) return std::nullopt;
  }
  std::istream& in = path == "-" ? std::cin : file;
  std::string text;
  for (char piece[1 << 16]; in.read(piece, sizeof piece), in.gcount() > 0;) {
    text.append(piece, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kFileMax) return std::nullopt;
  }
  return in.bad() ? std::nullopt : std::optional(std::move(text));
}

// None where the file is missing.
Outcome<std::optional<std::string>> if_there(Result<std::string> text) {
  if (text) return std::optional(std::move(*text));
  const Error& error = text.error();
  if (error.code.word().ends_with("-missing")) return std::optional<std::string>();
  return Failure{kFailed, error.code, error.message, error.hint, {}};
}

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return !file.fail();
}

Result<Credentials> read_key(const std::string& path) {
  auto key = controller::api::read_key_file(path);
  if (!key) return key.error();
  return Credentials{key->access_key, key->secret_key};
}

int terminal_columns() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// Beside build/PRESET/bin, and as ops/install places it.
std::string image_builder() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto top = self.parent_path().parent_path();
  for (const auto& place : {top.parent_path().parent_path(), top / "share" / "berth"})
    if (const auto builder = place / "ops" / "images" / "build"; std::filesystem::exists(builder, error))
      return builder.string();
  return {};
}

// In a folder that nobody else can write to, so that nobody else can hold the lock.
std::string image_build_lock() {
  if (::geteuid() == 0) return "/run/berth-image-build.lock";
  const std::string mine = variable("XDG_RUNTIME_DIR").value_or("");
  return (mine.empty() ? "/tmp/berth-image-build-" + std::to_string(::geteuid())
                       : mine + "/berth-image-build") +
         ".lock";
}

World real_world() {
  World world;
  world.out = &std::cout;
  world.err = &std::cerr;
  world.in_is_terminal = ::isatty(STDIN_FILENO) == 1;
  world.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  world.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  world.columns = terminal_columns();
  world.no_color = !variable("NO_COLOR").value_or("").empty();
  world.config_path = config_path();
  world.environment = variable;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    if (text.rfind("BERTH__", 0) == 0) world.environment_names.push_back(text.substr(0, text.find('=')));
  }
  world.read_file = read_file;
  world.read_config = [](const std::string& path) {
    return path == "/dev/null" ? std::optional<std::string>()
                               : if_there(read_trusted_file(path, "config-file"));
  };
  world.read_private = [](const std::string& path) {
    return if_there(read_private_file(path, "context-file", {}));
  };
  world.write_file = write_file;
  world.read_key = read_key;
  world.now = [] { return SystemClock().now().wall; };
  world.utc_offset = local_utc_offset;
  world.new_key = [] { return to_string(SystemRandom().uuid()); };
  world.new_token = [] { return to_hex(random_bytes(32)); };
  world.writers_of_before = [](const std::string& path) -> Result<std::optional<WriterGenerations>> {
    auto identity = controller::read_cluster_identity(path);
    if (!identity) return identity.error();
    return identity->writers.size() < 2 ? std::optional<WriterGenerations>()
                                        : std::optional(std::move(identity->writers.front().up_to));
  };
  world.begin_writers = controller::begin_writers_rotation;
  world.finish_writers = controller::finish_writers_rotation;
  world.connect = [](const Server& server, bool catch_signals) {
    return make_http_transport({server.host, server.port, server.tls, server.fingerprint, server.ca},
                               catch_signals);
  };
  world.make_socket = [](const Server& server) {
    return make_web_socket({server.host, server.port, server.tls, server.fingerprint, server.ca});
  };
  world.host_secret = [](const std::string& path) -> Result<std::string> {
    auto identity = controller::read_cluster_identity(path);
    if (!identity) return identity.error();
    return controller::api::host_secret_key(identity->secret);
  };
  world.ask = [](const std::string& prompt) { return ask_terminal(prompt, true); };
  world.ask_secret = [](const std::string& prompt) { return ask_terminal(prompt, false); };
  world.host_name = [] {
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? std::string(name) : std::string();
  };
  world.check_machine = check_this_machine;
  world.image_builder = image_builder();
  world.image_build_lock = image_build_lock();
  world.open_browser = [](const std::string& url) { return open_browser(variable, url); };
  world.write_private = [](const std::string& path, const std::string& text) -> Result<void> {
    // The file is its owner's alone; a folder that is there, like a home, is nobody's to close.
    std::error_code none;
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (!std::filesystem::is_directory(folder, none))
      if (auto made = make_private_folder(folder.string()); !made) return made;
    return write_private_file(path, text, "context-file");
  };
  return world;
}

// `berth ps | head`: no fault of the command.
bool reader_is_gone() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

}  // namespace
}  // namespace berth::cli

int main(int argc, char** argv) {
  berth::open_standard_streams();
  berth::say_last_words("berth");
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away shows as a failed write
  auto world = berth::cli::real_world();
  const int code = berth::cli::run(
      world, berth::cli::slurm::as_called(argc > 0 ? argv[0] : "", {argv + std::min(argc, 1), argv + argc}));
  std::cout.flush();
  if (std::cout || code != berth::cli::kOk) return code;
  if (berth::cli::reader_is_gone()) return berth::cli::kReaderGone;
  std::cerr << "berth: the output cannot be written\n";
  return berth::cli::kFailed;
}
