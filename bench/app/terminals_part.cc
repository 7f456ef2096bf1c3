#include "bench/app/terminals_part.h"

#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

#include "bench/app/terminal.h"
#include "bench/tools.h"

namespace berth::bench {
namespace {

namespace api = controller::api;
namespace fs = std::filesystem;

// A user has at most 64 streams, and a kernel as many shells.
constexpr std::uint64_t kOfKernelMax = 63;
// As many lines as are kept, which have as many bytes as are kept.
constexpr const char* kCommand =
    R"(["sh","-c","seq -f %0104.0f 10000; echo all is printed; exec sleep 100000"])";
constexpr const char* kLastLine = "all is printed";
// The server is idle once its memory has not fallen by as much for as long: the allocator gives pages back
// late.
constexpr int kCalmSeconds = 12;
constexpr std::uint64_t kFallBytes = 256u << 10;

// Of the process's own memory, and its part of what it shares; bytes.
std::uint64_t memory_of(const std::string& pid) {
  std::ifstream in("/proc/" + pid + "/smaps_rollup");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("Pss:")) return std::strtoull(line.c_str() + 4, nullptr, 10) << 10;
  return 0;
}

bool is_number(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A session of a user of its own, and the terminals in it.
struct Kernel {
  std::string session;
  api::KeyPair key;
  pid_t pid = 0;
  std::vector<std::unique_ptr<Terminal>> terminals;

  // Of its processes that run the program of its first one: the init and the helper.
  std::uint64_t helper_memory() const {
    struct stat init {
    }, space{}, one{};
    const auto look = [](const std::string& path, struct stat& at) { return ::stat(path.c_str(), &at) == 0; };
    const std::string first = "/proc/" + std::to_string(pid);
    if (!look(first + "/exe", init) || !look(first + "/ns/pid", space))
      give_up(make_error("internal-error", "a kernel has ended"));
    std::uint64_t bytes = 0;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename(), path = "/proc/" + name;
      if (!is_number(name) || !look(path + "/ns/pid", one) || one.st_ino != space.st_ino) continue;
      if (look(path + "/exe", one) && one.st_ino == init.st_ino && one.st_dev == init.st_dev)
        bytes += memory_of(name);
    }
    return bytes;
  }
};

class TerminalsPart {
 public:
  TerminalsPart(std::uint64_t terminals, const BerthUp& up) : up_(up), left_(terminals) {
    for (std::uint64_t i = 0; i * kOfKernelMax < terminals; ++i) add_kernel("person" + std::to_string(i));
  }
  ~TerminalsPart() {
    for (const Kernel& kernel : kernels_) up_.berth({"session", "end", kernel.session, "--wait"});
  }
  TerminalsPart(const TerminalsPart&) = delete;

  void measure(Report& report) {
    const std::uint64_t all = left_, helpers = helper_memory(), server = server_memory();
    while (left_ > 0) open_some();
    const std::uint64_t idle = idle_server_memory();
    const auto each = [all](std::uint64_t after, std::uint64_t before) {
      return json((static_cast<double>(after) - static_cast<double>(before)) / 1024 /
                  static_cast<double>(all));
    };
    report.figures.emplace_back("helper_kib_per_terminal", each(helper_memory(), helpers));
    report.figures.emplace_back("server_kib_per_terminal", each(idle, server));
  }

 private:
  void add_kernel(const std::string& user) {
    const std::string file = up_.data() + "/" + user + ".json";
    up_.berth({"user", "add", user, "--no-link"});
    up_.berth({"key", "add", "--name", "bench", "--user", user, "--out", file});
    Kernel& kernel = kernels_.emplace_back();
    kernel.key = must(api::read_key_file(file));
    kernel.session = up_.run_session("terminals", "0.2", "512m", file);
    kernel.pid = up_.kernel_pid(kernel.session);
  }

  // One in each kernel, at the same time; until all has come that they print.
  void open_some() {
    std::vector<Terminal*> opened;
    for (Kernel& kernel : kernels_) {
      if (left_ == 0 || kernel.terminals.size() == kOfKernelMax) continue;
      --left_;
      opened.push_back(kernel.terminals
                           .emplace_back(std::make_unique<Terminal>(
                               up_, kernel.key, kernel.session,
                               "shell" + std::to_string(kernel.terminals.size()), kCommand))
                           .get());
    }
    while (!opened.empty()) {
      std::vector<pollfd> ready;
      for (const Terminal* terminal : opened) ready.push_back({terminal->fd(), POLLIN, 0});
      ::poll(ready.data(), ready.size(), -1);
      for (std::size_t i = 0; i < ready.size(); ++i)
        if (ready[i].revents != 0) opened[i]->read();
      std::erase_if(opened, [](const Terminal* terminal) { return terminal->has_printed(kLastLine); });
    }
    if (left_ % 100 < kernels_.size()) std::cerr << "terminals: " << left_ << " to go\n";
  }

  std::uint64_t helper_memory() const {
    std::uint64_t bytes = 0;
    for (const Kernel& kernel : kernels_) bytes += kernel.helper_memory();
    return bytes;
  }
  std::uint64_t server_memory() const { return memory_of(std::to_string(up_.pid())); }

  // Once it falls no more: an allocator gives pages back some seconds after their last use.
  std::uint64_t idle_server_memory() const {
    std::uint64_t least = server_memory();
    for (int calm = 0; calm < kCalmSeconds; ++calm) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      const std::uint64_t now = server_memory();
      if (now + kFallBytes < least) calm = 0;
      least = std::min(least, now);
    }
    return least;
  }

  const BerthUp& up_;
  std::uint64_t left_;  // to be opened
  std::vector<Kernel> kernels_;
};

}  // namespace

void measure_terminals(std::uint64_t terminals, const BerthUp& up, Report& report) {
  TerminalsPart(terminals, up).measure(report);
}

}  // namespace berth::bench
