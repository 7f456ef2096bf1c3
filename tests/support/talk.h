// A test's end of a channel: awaits what the helper says, at most 20 s.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "agents/kernel/inside/channel.h"

namespace berth::inside {

class Talk {
 public:
  Talk(const std::string& door, const Request& request) : channel_(agents::Channel::open(door)) {
    over_ = !channel_.ok();
    if (over_)
      error = channel_.error();
    else
      note(channel_->request(request));
  }
  // REQUIRES of these three: it has begun.
  void type(std::string_view bytes) {
    channel_->type(bytes);
    note(channel_->flush());
  }
  void type_end() {
    channel_->type_end();
    note(channel_->flush());
  }
  void resize(const Size& size) {
    channel_->resize(size);
    note(channel_->flush());
  }

  // Until `done` holds, or nothing more can come.
  template <class Done> bool await(Done done) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done()) {
      if (over_ || !channel_.ok() || std::chrono::steady_clock::now() > limit) return false;
      pollfd ready{channel_->descriptor(),
                   static_cast<short>(POLLIN | (channel_->unsent() > 0 ? POLLOUT : 0)), 0};
      poll(&ready, 1, 1000);
      if ((ready.revents & POLLOUT) != 0) note(channel_->flush());
      take_all();
    }
    return true;
  }
  bool await_begun() {
    return await([this] { return begun.has_value(); });
  }
  bool await_out(const std::string& text) {
    return await([&] { return out.find(text) != std::string::npos; });
  }
  // The exit code; -1 if there is none.
  int await_end() {
    await([this] { return over_; });
    return ended ? ended->code : -1;
  }
  // The code of the problem or error with which the channel ended.
  std::string await_problem() {
    await([this] { return over_; });
    return problem ? problem->code : error.code.word();
  }
  bool over() const { return over_; }

  std::optional<Begun> begun;
  std::string out, err;
  std::uint64_t out_bytes = 0;  // also of what `keeps_out` dropped
  std::uint64_t lost = 0;
  bool keeps_out = true;
  std::vector<ShellEntry> shells;
  std::vector<AppEntry> apps;
  std::optional<LossSum> loss_sum;
  std::vector<LossEntry> losses;
  std::optional<Ended> ended;
  std::optional<Problem> problem;
  Error error;

 private:
  void note(const Result<void>& done) {
    if (!done.ok()) error = done.error();
  }
  void take_all() {
    for (;;) {
      auto answer = channel_->next();
      if (!answer.ok()) {
        over_ = true;
        if (!ended && !problem) error = answer.error();
        return;
      }
      if (!*answer) return;
      std::visit([this](auto& value) { take(std::move(value)); }, **answer);
    }
  }
  void take(Begun value) { begun = value; }
  void take(Out value) {
    out_bytes += value.bytes.size();
    if (keeps_out) out += value.bytes;
  }
  void take(Err value) { err += value.bytes; }
  void take(Lost value) { lost += value.bytes; }
  void take(ShellEntry value) { shells.push_back(std::move(value)); }
  void take(AppEntry value) { apps.push_back(std::move(value)); }
  void take(LossSum value) { loss_sum = value; }
  void take(LossEntry value) { losses.push_back(std::move(value)); }
  void take(Ended value) { ended = value; }
  void take(Problem value) { problem = std::move(value); }

  Result<agents::Channel> channel_;
  bool over_ = false;
};

inline Request exec(std::vector<std::string> args) {
  Request request;
  request.args = std::move(args);
  return request;
}
inline Request sh(std::string script) { return exec({"sh", "-c", std::move(script)}); }
inline Request shell(std::string name, std::vector<std::string> args = {"sh"}) {
  Request request;
  request.what = Request::What::kShell;
  request.name = std::move(name);
  request.args = std::move(args);
  return request;
}
inline Request list_of_shells() {
  Request request;
  request.what = Request::What::kShells;
  return request;
}
// port 0: it listens on its Unix socket.
inline Request app(std::string name, std::vector<std::string> args, std::uint16_t port = 0) {
  Request request;
  request.what = Request::What::kApp;
  request.name = std::move(name);
  request.args = std::move(args);
  request.port = port;
  return request;
}
inline Request end_of_app(std::string name) {
  Request request;
  request.what = Request::What::kAppEnd;
  request.name = std::move(name);
  return request;
}
inline Request list_of_apps() {
  Request request;
  request.what = Request::What::kApps;
  return request;
}
inline Request connect_to(std::uint16_t port) {
  Request request;
  request.what = Request::What::kConnect;
  request.port = port;
  return request;
}
inline Request connect_to(std::string name) {
  Request request;
  request.what = Request::What::kConnect;
  request.name = std::move(name);
  return request;
}
inline Request end_of_shell(std::string name) {
  Request request;
  request.what = Request::What::kShellEnd;
  request.name = std::move(name);
  return request;
}
inline Request losses() {
  Request request;
  request.what = Request::What::kLosses;
  return request;
}
inline Request pack_of(std::string path) {
  Request request;
  request.what = Request::What::kPack;
  request.path = std::move(path);
  return request;
}
inline Request unpack_to(std::string path) {
  Request request;
  request.what = Request::What::kUnpack;
  request.path = std::move(path);
  return request;
}

}  // namespace berth::inside
