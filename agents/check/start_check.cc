#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>

#include "agents/check/machine_check.h"
#include "agents/kernel/backends.h"
#include "agents/kernel/fast_folder.h"
#include "agents/kernel/shim/system.h"
#include "agents/runtime/trial.h"

namespace berth::agents {
namespace {

constexpr const char* kName = "a container starts";
constexpr auto kLook = std::chrono::milliseconds(50);

CheckLine failed(const Error& error) {
  return {kName, error.message, CheckLevel::kFails,
          error.hint.empty() ? "`berth explain " + error.code + "`; mend the lines above first."
                             : error.hint + "."};
}

// The backend's events, which come on a thread of its own.
struct Events {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<KernelEvent> waiting;  // guarded

  void put(const KernelEvent& event) {
    const std::lock_guard lock(mutex);
    waiting.push_back(event);
    changed.notify_all();
  }
  std::deque<KernelEvent> take() {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, kLook, [this] { return !waiting.empty(); });
    return std::exchange(waiting, {});
  }
};

Result<Duration> start_one(KernelBackend& backend) {
  Events events;
  auto recovered = backend.recover([&events](const KernelEvent& event) { events.put(event); });
  if (!recovered.ok()) return recovered.error();
  Trial trial(backend);
  std::optional<Result<Duration>> result;
  trial.begin(0, shim::boottime_now(), [&result](Result<Duration> took) { result = std::move(took); });
  while (!result) {
    for (const KernelEvent& event : events.take()) trial.on(event, shim::boottime_now());
    trial.tick(shim::boottime_now());
  }
  return std::move(*result);
}

}  // namespace

CheckLine check_start(const std::string& data, const std::string& runtime, const std::string& programs) {
  std::error_code error;
  std::filesystem::path parent = std::filesystem::absolute(data, error);
  while (parent != parent.parent_path() && !std::filesystem::is_directory(parent, error))
    parent = parent.parent_path();
  std::string folder = (parent / ".berth-check-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    return failed(make_error("data-folder", "cannot make a folder in " + parent.string()));
  const auto fast = fast_folder_for(folder);
  Result<Duration> took = make_error("data-folder", "no folder for its records");
  if (fast.ok()) {
    BackendConfig config;
    config.kind = BackendKind::kOci;
    config.runtime = runtime;
    config.data_folder = folder;
    config.fast_folder = *fast;
    if (!programs.empty()) config.launcher_path = programs + "/berth-launcher";
    if (!programs.empty()) config.init_path = programs + "/berth-init";
    auto backend = open_backend(config);
    took = backend.ok() ? start_one(**backend) : Result<Duration>(backend.error());
  } else {
    took = fast.error();
  }
  std::filesystem::remove_all(folder, error);
  if (fast.ok()) std::filesystem::remove_all(*fast, error);
  if (!took.ok()) return failed(took.error());
  char seconds[64];
  std::snprintf(seconds, sizeof seconds, "in %.2f s; its limits hold",
                static_cast<double>(*took) / static_cast<double>(kSecond));
  return {kName, seconds, CheckLevel::kOk, ""};
}

}  // namespace berth::agents
