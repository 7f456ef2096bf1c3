// The machine under a real backend: a temporary data folder, real launcher and shims, and the means to kill
// them.
#pragma once

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>

#include "agents/kernel/backends.h"
#include "agents/kernel/fast_folder.h"
#include "agents/kernel/kernel_name.h"
#include "agents/kernel/shim/system.h"
#include "tests/contract/kernel_backend_contract.h"

namespace berth::agents::contract {

// Programs of a build stand in BUILD/bin, tests in BUILD/tests.
inline std::string program_path(const char* name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin" / name)
      .string();
}

inline constexpr std::uint32_t kNobody = 65534;  // uid and gid

class RealRig : public Rig {
 public:
  explicit RealRig(BackendKind kind) : kind_(kind) {
    char name[] = "/var/tmp/berth-kernel-XXXXXX";  // on a disk, as an agent's is: /tmp may be memory
    folder_ = mkdtemp(name);
    fast_ = fast_folder_for(folder_).value();  // as the agent chooses it
  }
  ~RealRig() override {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
    std::filesystem::remove_all(fast_, error);
  }

  std::unique_ptr<KernelBackend> open() override {
    auto backend = open_backend(config());
    if (backend.ok()) return std::move(*backend);
    if (backend.error().code != "data-folder-busy") ADD_FAILURE() << to_string(backend.error());
    return nullptr;
  }
  virtual BackendConfig config() const {
    BackendConfig config;
    config.kind = kind_;
    config.data_folder = folder_;
    config.launcher_path = program_path("berth-launcher");
    config.init_path = program_path("berth-init");
    if (const char* runtime = std::getenv("BERTH_TEST_RUNTIME")) config.runtime = runtime;
    if (kind_ == BackendKind::kProcess && geteuid() == 0) config.process_user = {kNobody, kNobody};
    return config;
  }
  Timestamp boottime() override { return shim::boottime_now(); }
  void step(KernelBackend&) override { usleep(2000); }
  std::vector<std::string> command(Program program) override {
    switch (program) {
      case Program::kTrue: return {"true"};
      case Program::kExit7: return {"sh", "-c", "exit 7"};
      case Program::kHello: return {"echo", "hello"};
      case Program::kMissing: return {"no-such-program"};
      case Program::kLong: return {"sleep", "300"};
      case Program::kIgnoreTerm: return {"sh", "-c", "trap '' TERM; echo ready; sleep 300"};
      case Program::kShort: return {"sh", "-c", "echo begin; sleep 1; exit 5"};
      case Program::kDies: return {"sh", "-c", "kill -9 $$"};
      case Program::kCount: return {"sh", "-c", "echo run; exec sleep 300"};
    }
    return {};
  }
  // The launcher of the newest backend is this process's child with that name.
  void kill_launcher() override {
    const auto children = shim::read_file("/proc/thread-self/children").value_or("");
    char* end = nullptr;
    for (const char* at = children.c_str();; at = end) {
      const long pid = strtol(at, &end, 10);
      if (end == at) return;
      const auto line = shim::read_file("/proc/" + std::to_string(pid) + "/cmdline").value_or("");
      if (line.find(folder_) != std::string::npos) kill(static_cast<pid_t>(pid), SIGKILL);
    }
  }
  void kill_shim(const KernelKey& key) override {
    const auto state =
        shim::decode_state(shim::read_file(fast_ + "/run/" + kernel_name(key) + ".state").value_or(""));
    ASSERT_TRUE(state.has_value());
    kill(static_cast<pid_t>(state->shim.pid), SIGKILL);
  }
  const std::string& folder() const { return folder_; }
  const std::string& fast() const { return fast_; }

 private:
  BackendKind kind_;
  std::string folder_, fast_;
};

}  // namespace berth::agents::contract
