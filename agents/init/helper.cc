#include "agents/init/helper.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "agents/init/child.h"
#include "agents/init/connect.h"
#include "agents/init/egress.h"
#include "agents/init/exec.h"
#include "agents/init/losses.h"
#include "agents/init/shell.h"

namespace berth::init {
namespace {

constexpr int kLookMs = 100;  // while a shell is ending, or somebody looks at times

Descriptor signals_of_children() {
  sigset_t mask;
  sigfillset(&mask);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&mask, own);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  sigemptyset(&mask);
  sigaddset(&mask, SIGCHLD);
  return Descriptor(signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
}

Problem no_such_shell(const std::string& name) {
  return {"no-such-shell", "there is no shell '" + name + "' in this kernel"};
}

}  // namespace

Helper::Helper(Descriptor door, std::uint32_t restarts, LossGround ground)
    : door_(std::move(door)),
      signals_(signals_of_children()),
      restarts_(restarts),
      ground_(std::move(ground)),
      apps_(*this) {}

Helper::~Helper() = default;

int Helper::run() {
  if (!loop_.good() || !signals_) return 1;
  fcntl(door_.get(), F_SETFL, fcntl(door_.get(), F_GETFL) | O_NONBLOCK);
  loop_.watch(door_.get(), EPOLLIN, *this);
  loop_.watch(signals_.get(), EPOLLIN, *this);
  for (;;) {
    loop_.wait(ending_.empty() && lookers_.empty() ? -1 : kLookMs);
    call_lookers();
    remove_ended();
    kill_those_that_stay();
  }
}

void Helper::ready(int fd, std::uint32_t) { fd == door_.get() ? accept_clients() : reap(); }

void Helper::accept_clients() {
  while (clients_.size() < kChannelsMax) {
    Descriptor socket(accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)) return;
    if (!socket) break;
    clients_.push_back(std::make_unique<Client>(*this, std::move(socket)));
  }
  // Whoever waits at the door comes in when another has left.
  closed_ = true;
  loop_.forget(door_.get());
}

void Helper::reap() {
  signalfd_siginfo info;
  while (read(signals_.get(), &info, sizeof info) > 0) {}
  int status = 0;
  for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG)) {
    const auto found = children_.find(pid);
    if (found == children_.end()) continue;
    Parent* const parent = found->second;
    children_.erase(found);
    if (parent != nullptr) parent->child_ended(status);
  }
}

// Its clients keep a shell that has ended until they have seen all of it.
void Helper::remove_ended_shells() {
  std::erase_if(shells_, [](const auto& entry) { return entry.second->ended(); });
  std::erase_if(ending_, [](const auto& shell) { return shell->ended(); });
}

void Helper::remove_ended() {
  const std::size_t before = clients_.size();
  std::erase_if(clients_, [](const auto& client) { return client->over(); });
  remove_ended_shells();
  if (closed_ && clients_.size() < before) {
    closed_ = false;
    loop_.watch(door_.get(), EPOLLIN, *this);
  }
}

void Helper::kill_those_that_stay() {
  for (const auto& shell : ending_) shell->kill_if_late();
}

// One call may end others.
void Helper::call_lookers() {
  const std::set<Looker*> now = lookers_;
  for (Looker* looker : now)
    if (lookers_.contains(looker)) looker->look();
}

void Helper::begin(Client& client, inside::Begun begun) {
  begun.restarts = restarts_;
  client.send(FrameType::kBegun, encode(begun));
}

std::optional<Problem> Helper::serve(const Request& request, Client& client,
                                     std::unique_ptr<Purpose>& purpose) {
  remove_ended_shells();
  switch (request.what) {
    case Request::What::kExec: return serve_exec(request, client, purpose);
    case Request::What::kShell: return serve_shell(request, client, purpose);
    case Request::What::kShells: serve_shells(client); break;
    case Request::What::kShellEnd: return serve_shell_end(request, client);
    case Request::What::kPack:
    case Request::What::kUnpack: return serve_copy(request, client);
    case Request::What::kConnect: return Connect::begin(*this, request, client, purpose);
    case Request::What::kApp: return apps_.serve(request, client, purpose);
    case Request::What::kApps: apps_.list(client); break;
    case Request::What::kAppEnd: return apps_.serve_end(request, client, purpose);
    case Request::What::kEgress: return Egress::begin(*this, request, client, purpose);
    case Request::What::kLosses: return serve_losses(client);
  }
  return std::nullopt;
}

std::optional<Problem> Helper::check_room() const {
  if (children_.size() - shells_.size() - ending_.size() - apps_.running() < kProgramsMax)
    return std::nullopt;
  return Problem{"too-many-programs", "256 programs run in this kernel by exec already"};
}

std::optional<Problem> Helper::serve_copy(const Request& request, Client& client) {
  if (auto problem = check_room()) return problem;
  const pid_t copy = start_copy(request, client.taken(), restarts_);
  if (copy < 0) return Problem{"program-not-started", std::string("no process: ") + std::strerror(errno)};
  disown(copy);
  client.let_go();
  return std::nullopt;
}

std::optional<Problem> Helper::serve_losses(Client& client) {
  if (loss_scans_.running >= kLossScansMax)
    return Problem{"kernel-busy", "4 look already at what ends with this kernel"};
  if (auto problem = check_room()) return problem;
  const pid_t scan = start_losses(ground_, client.taken(), restarts_);
  if (scan < 0) return Problem{"program-not-started", std::string("no process: ") + std::strerror(errno)};
  ++loss_scans_.running;
  adopt(scan, loss_scans_);
  client.let_go();
  return std::nullopt;
}

std::optional<Problem> Helper::serve_exec(const Request& request, Client& client,
                                          std::unique_ptr<Purpose>& purpose) {
  if (auto problem = check_room()) return problem;
  Child child;
  if (auto problem = start_child(request, request.terminal, child)) return problem;
  begin(client, {});
  purpose = std::make_unique<Exec>(*this, client, std::move(child), request.terminal);
  return std::nullopt;
}

std::optional<Problem> Helper::serve_shell(const Request& request, Client& client,
                                           std::unique_ptr<Purpose>& purpose) {
  const auto found = shells_.find(request.name);
  const bool made = found == shells_.end();
  if (made && request.existing) return no_such_shell(request.name);
  if (made && shells_.size() + ending_.size() >= kShellsMax)
    return Problem{"too-many-shells", "64 shells are open in this kernel already"};
  std::shared_ptr<Shell> shell = made ? nullptr : found->second;
  if (made) {
    if (auto problem = Shell::start(*this, request, shell)) return problem;
    shells_[request.name] = shell;
  } else {
    shell->resize(request.size);
  }
  const Scrollback& output = shell->output();
  begin(client, {.scrollback = output.end() - output.begin(), .lost = output.begin(), .made = made});
  auto attached = std::make_unique<ShellClient>(std::move(shell), client);
  attached->show();
  purpose = std::move(attached);
  return std::nullopt;
}

void Helper::serve_shells(Client& client) {
  begin(client, {});
  for (const auto& [name, shell] : shells_) client.send(FrameType::kShell, encode(shell->entry()));
  client.end({});
}

std::optional<Problem> Helper::serve_shell_end(const Request& request, Client& client) {
  const auto found = shells_.find(request.name);
  if (found == shells_.end()) return no_such_shell(request.name);
  found->second->end();
  ending_.push_back(std::move(found->second));
  shells_.erase(found);
  begin(client, {});
  client.end({});
  return std::nullopt;
}

int run_helper(int door, std::uint32_t restarts, std::optional<std::int64_t> started_at) {
  setsid();
  raise_own_files_bound();
  for (int fd = open("/dev/null", O_RDWR | O_CLOEXEC); fd >= 0 && fd <= 2;)  // 0 to 2 are to be there
    fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  fcntl(door, F_SETFD, FD_CLOEXEC);
  return Helper(Descriptor(door), restarts, loss_ground(started_at)).run();
}

}  // namespace berth::init
