#include "agents/init/shell.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "agents/kernel/shim/system.h"

namespace berth::init {
namespace {

constexpr std::int64_t kTimeToEnd = 2'000'000'000;  // ns
constexpr std::size_t kUntakenMax = 64 << 10;       // bytes typed ahead; beyond it clients are held
constexpr std::size_t kCommandShown = 256;          // bytes
constexpr int kReadsAtOnce = 16;                    // a terminal gives 4 KiB a time

std::vector<std::string> shell_of_image() {
  for (const char* shell : {"/bin/bash", "/usr/bin/bash"})
    if (access(shell, X_OK) == 0) return {shell};
  return {"/bin/sh"};
}

// Where a person begins to work, if it is there.
std::string home() {
  const char* const folder = std::getenv("HOME");
  return folder != nullptr && access(folder, X_OK) == 0 ? folder : "";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text.substr(0, kCommandShown);
}

}  // namespace

std::optional<Problem> Shell::start(Helper& helper, const Request& request, std::shared_ptr<Shell>& shell) {
  Request whole = request;
  if (whole.args.empty()) whole.args = shell_of_image();
  if (whole.cwd.empty()) whole.cwd = home();
  Child child;
  if (auto problem = start_child(whole, true, child)) return problem;
  shell = std::make_shared<Shell>(helper, whole, std::move(child));
  return std::nullopt;
}

Shell::Shell(Helper& helper, const Request& request, Child child)
    : helper_(helper),
      name_(request.name),
      command_(joined(request.args)),
      started_at_(agents::shim::wall_now()),
      child_(std::move(child)) {
  helper_.adopt(child_.pid, *this);
  watch();
}

Shell::~Shell() { helper_.loop().forget(child_.in.get()); }

inside::ShellEntry Shell::entry() const {
  return {name_, command_, started_at_, static_cast<std::uint32_t>(clients_.size())};
}

void Shell::type(std::string_view bytes) {
  if (ended()) return;
  untaken_ += bytes;
  write_typed();
}

void Shell::end() {
  kill_at_ = agents::shim::boottime_now() + kTimeToEnd;
  hang_up(child_.pid, child_.in.get());
}

void Shell::kill_if_late() const {
  if (!ended() && agents::shim::boottime_now() >= kill_at_) kill(-child_.pid, SIGKILL);
}

void Shell::ready(int, std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) write_typed();
  for (int i = 0; i < kReadsAtOnce && read_some(); ++i) {}
  show_all();
}

// False: nothing is there now.
bool Shell::read_some() {
  char bytes[8192];
  const ssize_t got = read(child_.in.get(), bytes, sizeof bytes);
  if (got > 0) {
    output_.append({bytes, static_cast<std::size_t>(got)});
    return true;
  }
  // All its programs have let go of the terminal, most often because they have ended.
  if (got == 0 || (errno != EAGAIN && errno != EINTR)) helper_.loop().forget(child_.in.get());
  return false;
}

void Shell::child_ended(int wait_status) {
  constexpr int kReadsAfterEnd = 256;  // a child of the shell may go on to print
  for (int i = 0; i < kReadsAfterEnd && read_some(); ++i) {}
  how_ = ended_by(wait_status);
  helper_.loop().forget(child_.in.get());
  show_all();
}

void Shell::write_typed() {
  while (!untaken_.empty()) {
    const ssize_t wrote = write(child_.in.get(), untaken_.data(), untaken_.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) break;
    if (wrote < 0)
      untaken_ = {};
    else
      untaken_.erase(0, static_cast<std::size_t>(wrote));
  }
  watch();
  const std::vector<ShellClient*> clients = clients_;  // one that goes on may type
  for (ShellClient* client : clients) client->hold(untaken_.size() >= kUntakenMax);
}

void Shell::show_all() {
  for (ShellClient* client : clients_) client->show();
}

void Shell::watch() {
  helper_.loop().watch(child_.in.get(), EPOLLIN | events_if(!untaken_.empty(), EPOLLOUT), *this);
}

ShellClient::ShellClient(std::shared_ptr<Shell> shell, Client& client)
    : shell_(std::move(shell)), client_(client), viewer_(shell_->output(), client) {
  shell_->attach(*this);
}

ShellClient::~ShellClient() { shell_->detach(*this); }

void ShellClient::show() {
  if (viewer_.show() && shell_->how()) client_.end(*shell_->how());
}

}  // namespace berth::init
