#include "bench/app/berth_up.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "bench/bare.h"
#include "bench/tools.h"

extern char** environ;

namespace berth::bench {
namespace {

constexpr auto kUpMax = std::chrono::seconds(60);
constexpr auto kLookEvery = std::chrono::milliseconds(50);

// Free now, and below those that outgoing connections take.
std::uint16_t free_port() {
  for (int i = 0; i < 1000; ++i) {
    const auto port = static_cast<std::uint16_t>(10'000 + (::getpid() * 7 + i * 13) % 12'000);
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool free = ::bind(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
    ::close(fd);
    if (free) return port;
  }
  give_up(make_error("internal-error", "no port is free"));
}

pid_t start(std::vector<std::string> words, const std::string& log) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t pid = 0;
  if (::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ) != 0)
    give_up(make_error("internal-error", "cannot run " + words[0], "build it: ops/up does"));
  ::posix_spawn_file_actions_destroy(&actions);
  return pid;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

std::string built(const std::string& name) {
  std::error_code ec;
  return (std::filesystem::read_symlink("/proc/self/exe", ec).parent_path() / name).string();
}

void end_process(pid_t pid) {
  ::kill(pid, SIGTERM);
  ::waitpid(pid, nullptr, 0);
}

BerthUp::BerthUp(const std::string& folder) : data_(folder + "/berth"), port_(free_port()) {
  const std::string log = folder + "/up.log";
  pid_ = start({built("berth"), "up", "--data", data_, "--port", std::to_string(port_), "--backend", "oci",
                "--accelerator", "none", "--end-kernels"},
               log);
  const auto until = std::chrono::steady_clock::now() + kUpMax;
  while (text_of(log).find(" is up\n") == std::string::npos ||
         berth({"agent", "ls", "--state", "ALIVE", "-o", "name", "-q"}).empty()) {
    if (::waitpid(pid_, nullptr, WNOHANG) != 0 || std::chrono::steady_clock::now() > until)
      give_up(make_error("internal-error", "berth up does not come up: " + text_of(log)));
    std::this_thread::sleep_for(kLookEvery);
  }
}

BerthUp::~BerthUp() { end_process(pid_); }

double BerthUp::cpu_seconds() const {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &used) != 0)
    give_up(make_error("internal-error", "berth up is gone"));
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

std::vector<std::string> BerthUp::command(std::vector<std::string> words) const {
  words.insert(words.begin(), {built("berth"), "--data", data_});
  return words;
}

std::string BerthUp::berth(std::vector<std::string> words) const {
  std::int64_t started = 0;
  std::string said = say(command(std::move(words)), started);
  if (said.ends_with('\n')) said.pop_back();
  return said;
}

std::string BerthUp::run_session(const std::string& name, const std::string& cpu, const std::string& mem,
                                 const std::string& key_file) const {
  std::vector<std::string> by;
  if (!key_file.empty()) by = {"--key-file", key_file};
  const auto ask = [&](std::vector<std::string> words) {
    words.insert(words.begin(), by.begin(), by.end());
    return berth(std::move(words));
  };
  ask({"session", "run", "--image", "python:3.11", "--cpu", cpu, "--mem", mem, "--name", name, "-q", "-o",
       "name"});
  const auto shown =
      boost::json::parse(ask({"session", "show", name, "--wait", "--timeout", "120s", "-o", "json"}));
  if (shown.at("status").as_string() != "RUNNING")
    give_up(make_error("internal-error", "the session does not run: " + boost::json::serialize(shown)));
  return shown.at("id").as_string().c_str();
}

pid_t BerthUp::kernel_pid(const std::string& session) const {
  const auto shown = boost::json::parse(berth({"session", "show", session, "-o", "json"}));
  return static_cast<pid_t>(shown.at("kernels").at(0).at("pid").as_int64());
}

pid_t BerthUp::start_berth(std::vector<std::string> words) const {
  return start(command(std::move(words)), data_ + "/../program.log");
}

}  // namespace berth::bench
