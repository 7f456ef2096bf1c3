#include "controller/policy_host/policy_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace berth::controller::policy {
namespace {

bool is_safe(const struct stat& what) {
  return (what.st_uid == 0 || what.st_uid == ::geteuid()) && (what.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

PolicyFolder::PolicyFolder(std::string folder, std::string host, std::function<void(const std::string&)> say)
    : folder_(std::move(folder)), host_(std::move(host)), say_(std::move(say)) {}

bool PolicyFolder::is_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), allowed);
}

Result<std::string> PolicyFolder::library_of(std::string_view name) const {
  const std::string path = folder_ + "/" + std::string(name) + ".so";
  struct stat folder {
  }, file{};
  if (folder_.empty())
    return make_error("unknown-policy", "this controller has no folder of selection policies",
                      "start it with --policies DIR");
  if (!is_name(name) || ::lstat(path.c_str(), &file) != 0)
    return make_error("unknown-policy",
                      "there is no selection policy '" + std::string(name.substr(0, 80)) + "'",
                      "put NAME.so into the controller's folder of policies");
  if (::stat(folder_.c_str(), &folder) != 0 || !is_safe(folder) || !S_ISREG(file.st_mode) || !is_safe(file))
    return make_error(
        "untrusted-policy",
        "selection policy '" + std::string(name) + "' is a link, or others may write it or its folder",
        "it must belong to root or to the controller's user, and nobody else may write it");
  return path;
}

std::optional<Refusal> PolicyFolder::check(const std::string& name) const {
  const auto library = library_of(name);
  if (!library) return Refusal{library.error().code, library.error().message, library.error().hint};
  PolicyProcess trial(name, {host_, *library});
  if (const auto started = trial.start(); !started)
    return Refusal{"bad-policy", "selection policy '" + name + "' does not load: " + started.error().message,
                   "it must be built against berth_policy.h of this version"};
  return std::nullopt;
}

placement::CustomPolicy* PolicyFolder::find(std::string_view name) {
  const auto library = library_of(name);
  const std::lock_guard lock(mutex_);
  if (const auto known = policies_.find(name); known != policies_.end()) {
    known->second->switch_on();
    return known->second.get();
  }
  if (!library) {
    if (say_)
      say_("selection policy " + std::string(name.substr(0, 80)) + ": " + library.error().message +
           "; its group concentrates");
    return nullptr;
  }
  auto made = std::make_unique<PolicyProcess>(
      std::string(name), ProcessOptions{.host = host_, .library = *library, .say = say_});
  return policies_.emplace(std::string(name), std::move(made)).first->second.get();
}

std::string PolicyFolder::metrics() const {
  const std::lock_guard lock(mutex_);
  if (policies_.empty()) return {};
  std::string text;
  const auto lines = [&](const char* what, const char* type, auto value) {
    text += std::string("# TYPE berth_policy_") + what + " " + type + "\n";
    for (const auto& [name, policy] : policies_)
      text += std::string("berth_policy_") + what + "{policy=\"" + name + "\"} " +
              std::to_string(value(policy->counters())) + "\n";
  };
  lines("questions_total", "counter", [](const PolicyCounters& c) { return c.asked.load(); });
  lines("failures_total", "counter", [](const PolicyCounters& c) { return c.failed.load(); });
  lines("off", "gauge", [](const PolicyCounters& c) { return std::uint64_t{c.off.load()}; });
  return text;
}

std::string policy_host_beside_self() {
  std::error_code ec;
  return (std::filesystem::read_symlink("/proc/self/exe", ec).parent_path() / "berth-policy-host").string();
}

}  // namespace berth::controller::policy
