#include "agents/init/app.h"

#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "agents/kernel/shim/system.h"

namespace berth::init {
namespace {

using inside::AppState;

constexpr int kPipeReadsAtOnce = 16;
constexpr int kPipeReadsAfterEnd = 256;
constexpr std::int64_t kProbePause = 100'000'000, kProbePauseMax = 2'000'000'000;  // ns
constexpr std::int64_t kTimeToEndApp = 5'000'000'000;                              // ns

// The folder of sockets is ours alone: /tmp is everybody's in the kernel, and whoever made it before us could
// put another socket in an app's place.
std::optional<Problem> make_room_for(const std::string& socket) {
  const std::string folder = socket.substr(0, std::max<std::size_t>(1, socket.rfind('/')));
  struct stat info {};
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return Problem{"app-folder", "cannot make " + folder + ": " + std::strerror(errno)};
  if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid())
    return Problem{"app-folder", folder + " is not the folder of this kernel's helper"};
  if (unlink(socket.c_str()) != 0 && errno != ENOENT)
    return Problem{"app-folder", "cannot remove " + socket + ": " + std::strerror(errno)};
  return std::nullopt;
}

std::string socket_of(const Request& request) {
  if (request.port != 0) return "";
  return request.socket.empty() ? inside::app_socket(request.name) : request.socket;
}

// Empty if there is no randomness.
std::string new_token() {
  unsigned char bytes[inside::kTokenSize / 2];
  std::string token;
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) return token;
  for (const unsigned char byte : bytes)
    for (const int digit : {byte >> 4, byte & 15}) token += "0123456789abcdef"[digit];
  return token;
}

// In place of what was asked for: two of a name would leave it open which one the program takes.
void set_variable(std::vector<std::string>& environment, const std::string& name, const std::string& value) {
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(name + "="); });
  environment.push_back(name + "=" + value);
}

}  // namespace

std::optional<Problem> App::start(Helper& helper, const Request& request, std::uint32_t restarts,
                                  std::shared_ptr<App>& app) {
  Request whole = request;
  const std::string socket = socket_of(request);
  if (!socket.empty())
    if (auto problem = make_room_for(socket)) return problem;
  set_variable(whole.env, "BERTH_APP", request.name);
  if (socket.empty())
    set_variable(whole.env, "BERTH_APP_PORT", std::to_string(request.port));
  else
    set_variable(whole.env, "BERTH_APP_SOCKET", socket);
  std::string token;
  if (!request.token_variable.empty()) {
    token = new_token();
    if (token.empty()) return Problem{"app-token", std::string("no random token: ") + std::strerror(errno)};
    set_variable(whole.env, request.token_variable, token);
  }
  Child child;
  if (auto problem = start_child(whole, false, child)) return problem;
  child.in = Descriptor();  // nobody types
  app = std::make_shared<App>(helper, request, restarts, std::move(token), std::move(child));
  return std::nullopt;
}

App::App(Helper& helper, const Request& request, std::uint32_t restarts, std::string token, Child child)
    : helper_(helper),
      socket_(socket_of(request)),
      token_(std::move(token)),
      child_(std::move(child)),
      probe_pause_(kProbePause) {
  entry_.name = request.name;
  entry_.port = request.port;
  entry_.started_at = agents::shim::wall_now();
  entry_.restarts = restarts;
  helper_.adopt(child_.pid, *this);
  helper_.look_at_times(*this);
  for (const Descriptor* from : {&child_.out, &child_.err}) helper_.loop().watch(from->get(), EPOLLIN, *this);
}

App::~App() {
  helper_.look_no_more(*this);
  for (const Descriptor* from : {&child_.out, &child_.err}) helper_.loop().forget(from->get());
  if (!ended()) helper_.disown(child_.pid);
}

std::string App::tail() const {
  const std::uint64_t size = std::min<std::uint64_t>(output_.end() - output_.begin(), inside::kAppTailMax);
  std::string text;
  for (std::uint64_t at = output_.end() - size; at < output_.end(); at = output_.end() - size + text.size())
    text += output_.from(at);
  return text;
}

void App::ready(int fd, std::uint32_t) {
  if (fd != child_.out.get() && fd != child_.err.get()) return look();  // the probe
  Descriptor& from = fd == child_.out.get() ? child_.out : child_.err;
  for (int i = 0; i < kPipeReadsAtOnce && read_some(from); ++i) {}
  show_all();
}

// False: nothing is there now.
bool App::read_some(Descriptor& from) {
  char bytes[8192];
  const ssize_t got = from ? read(from.get(), bytes, sizeof bytes) : 0;
  if (got > 0) {
    output_.append({bytes, static_cast<std::size_t>(got)});
    return true;
  }
  if (!from || (got < 0 && (errno == EAGAIN || errno == EINTR))) return false;
  helper_.loop().forget(from.get());
  from = Descriptor();
  return false;
}

void App::end() {
  if (ended() || kill_at_ != 0) return;
  kill_at_ = agents::shim::boottime_now() + kTimeToEndApp;
  probe_.reset();
  helper_.look_at_times(*this);
  kill(-child_.pid, SIGTERM);
  kill(-child_.pid, SIGCONT);  // one that was stopped hears nothing
}

void App::look() {
  const std::int64_t now = agents::shim::boottime_now();
  if (kill_at_ != 0) {
    if (now >= kill_at_) kill(-child_.pid, SIGKILL);
    return;
  }
  if (!probe_) {
    if (now < next_probe_) return;
    next_probe_ = now + probe_pause_;
    probe_pause_ = std::min(kProbePauseMax, probe_pause_ + probe_pause_ / 8);
    probe_ = std::make_unique<Connector>(helper_.loop(), *this, place());
  }
  const Connector::State state = probe_->go_on();
  if (state == Connector::State::kUnderWay) return;
  probe_.reset();
  if (state == Connector::State::kMade) change_to(AppState::kReady);
}

void App::change_to(AppState state) {
  entry_.state = state;
  helper_.look_no_more(*this);
  probe_.reset();
  show_all();
}

void App::child_ended(int wait_status) {
  kill(-child_.pid, SIGKILL);  // what it left behind would hold its port
  for (Descriptor* from : {&child_.out, &child_.err}) {
    for (int i = 0; i < kPipeReadsAfterEnd && read_some(*from); ++i) {}
    helper_.loop().forget(from->get());
    *from = Descriptor();
  }
  const Ended how = ended_by(wait_status);
  entry_.code = how.code;
  entry_.signal = how.signal;
  change_to(AppState::kEnded);
}

void App::show_all() {
  for (AppViewer* viewer : viewers_) viewer->show();
}

AppClient::AppClient(std::shared_ptr<App> app, Client& client)
    : app_(std::move(app)), client_(client), viewer_(app_->output(), client) {
  app_->attach(*this);
}

AppClient::~AppClient() { app_->detach(*this); }

void AppClient::show() {
  const inside::AppEntry& entry = app_->entry();
  const bool all_shown = viewer_.show();
  if (app_->ended() && !all_shown) return;  // all that it printed comes first
  if (std::exchange(told_, entry.state) != entry.state) client_.send(FrameType::kApp, encode(entry));
  if (app_->ended()) client_.end({entry.code, entry.signal});
}

AppEnd::AppEnd(std::shared_ptr<App> app, Client& client) : app_(std::move(app)), client_(client) {
  app_->attach(*this);
  app_->end();
}

AppEnd::~AppEnd() { app_->detach(*this); }

void AppEnd::show() {
  if (app_->ended()) client_.end({app_->entry().code, app_->entry().signal});
}

}  // namespace berth::init
