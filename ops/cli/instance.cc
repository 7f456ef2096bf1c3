#include "ops/cli/instance.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

#include "controller/runtime/cluster_identity.h"
#include "events/base/files/private_files.h"

namespace berth {
namespace {

std::string to_json(const Running& r) {
  const UpOptions& o = r.options;
  return boost::json::serialize(boost::json::object{{"pid", r.pid},
                                                    {"data", o.data},
                                                    {"endpoint", r.endpoint},
                                                    {"address", o.listening.address},
                                                    {"port", o.listening.port},
                                                    {"tls", o.listening.with_tls()},
                                                    {"accelerator", o.accelerator},
                                                    {"log", o.log},
                                                    {"end_kernels", o.end_kernels},
                                                    {"backend", o.backend},
                                                    {"name", o.name},
                                                    {"group", o.group},
                                                    {"policies", o.policies}});
}

void from_json(const std::string& text, Running& r) {
  boost::system::error_code ec;
  const auto value = boost::json::parse(text, ec);
  if (ec || !value.is_object()) return;
  const auto& o = value.as_object();
  const auto string = [&o](const char* key, std::string& out) {
    if (const auto* v = o.if_contains(key); v && v->is_string()) out = v->as_string().c_str();
  };
  if (const auto* v = o.if_contains("pid"); v && v->is_int64()) r.pid = static_cast<int>(v->as_int64());
  if (const auto* v = o.if_contains("port"); v && v->is_int64())
    r.options.listening.port = static_cast<std::uint16_t>(v->as_int64());
  if (const auto* v = o.if_contains("tls"); v && v->is_bool()) r.options.listening.tls = v->as_bool();
  if (const auto* v = o.if_contains("end_kernels"); v && v->is_bool()) r.options.end_kernels = v->as_bool();
  string("data", r.options.data);
  string("endpoint", r.endpoint);
  string("address", r.options.listening.address);
  string("accelerator", r.options.accelerator);
  string("policies", r.options.policies);
  string("log", r.options.log);
  string("backend", r.options.backend);
  string("name", r.options.name);
  string("group", r.options.group);
}

std::string read_all(int fd) {
  std::string text(4096, '\0');
  const ssize_t size = pread(fd, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

bool try_lock(int fd) { return flock(fd, LOCK_EX | LOCK_NB) == 0; }

// Whether the process that wrote its id has ended. What it had forked and was not yet another program then
// has its descriptors still, and the lock with them, for the moment until it is.
bool has_ended(int pid) { return pid > 0 && kill(pid, 0) != 0 && errno == ESRCH; }

// Nothing tells when a lock is given up by another process, so we look.
bool lock_after_one_that_ended(int fd, const Running& holder) {
  constexpr auto kPatience = std::chrono::seconds(10);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (has_ended(holder.pid) && std::chrono::steady_clock::now() < until) {
    if (try_lock(fd)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

Instance::~Instance() {
  if (fd_ >= 0) close(fd_);
}

Result<bool> Instance::take(const std::string& data, Running& running) {
  if (auto made = make_private_folder(data); !made) return made.error();
  path_ = data + "/berth.lock";
  fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd_ < 0)
    return make_error("data-folder", "cannot use " + data + ": " + std::strerror(errno),
                      "is it a folder that you may write? --data names another");
  const bool taken = try_lock(fd_);
  from_json(read_all(fd_), running);
  if (taken || lock_after_one_that_ended(fd_, running)) return true;
  close(fd_);
  fd_ = -1;
  return false;
}

Result<void> Instance::write(const Running& running) {
  const std::string text = to_json(running);
  // Over what is there first: on a full disk that takes no room.
  if (pwrite(fd_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ftruncate(fd_, static_cast<off_t>(text.size())) != 0)
    return make_error("data-folder", "cannot write " + path_ + ": " + std::strerror(errno),
                      "is the disk full?");
  return {};
}

Result<void> check_original(const std::string& data, const std::string& original) {
  const std::string theirs = original + "/berth.lock";
  std::error_code error;
  if (original.empty() || std::filesystem::equivalent(theirs, data + "/berth.lock", error)) return {};
  const int fd = open(theirs.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  const bool runs = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0;
  if (fd >= 0) close(fd);
  if (!runs) return {};
  const auto ours = controller::read_cluster_identity(data + "/cluster.json"),
             other = controller::read_cluster_identity(original + "/cluster.json");
  if (!ours || !other || ours->cluster != other->cluster) return {};
  return make_error(
      "data-folder", data + " is a copy of " + original + ", on which a Berth runs",
      "each would decide alone for the same cluster: stop the other one, or name another folder");
}

std::string differences(const UpOptions& running, const UpOptions& asked) {
  std::string text;
  const auto differ = [&text](const char* what, const std::string& has, const std::string& wants) {
    if (has != wants) text += std::string("  ") + what + " is '" + has + "', asked for '" + wants + "'\n";
  };
  differ("--address", running.listening.address, asked.listening.address);
  differ("--port", std::to_string(running.listening.port), std::to_string(asked.listening.port));
  differ("--tls", running.listening.with_tls() ? "yes" : "no", asked.listening.with_tls() ? "yes" : "no");
  differ("--accelerator", running.accelerator, asked.accelerator);
  differ("--log", running.log, asked.log);
  differ("--policies", running.policies, asked.policies);
  differ("--end-kernels", running.end_kernels ? "yes" : "no", asked.end_kernels ? "yes" : "no");
  differ("--backend", running.backend, asked.backend);
  differ("--name", running.name, asked.name);
  differ("--group", running.group, asked.group);
  return text;
}

}  // namespace berth
