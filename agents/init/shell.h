// Shell: a program in a terminal that outlives its channels. Any number of clients see the same output and
// may type. It prints at its own speed: a client that does not read misses what the scrollback drops.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/init/helper.h"
#include "agents/init/viewer.h"

namespace berth::init {

class ShellClient;

class Shell final : public Watcher, public Parent {
 public:
  // Codes: those of start_child.
  static std::optional<Problem> start(Helper& helper, const Request& request, std::shared_ptr<Shell>& shell);
  Shell(Helper& helper, const Request& request, Child child);
  ~Shell() override;

  const Scrollback& output() const { return output_; }
  inside::ShellEntry entry() const;
  bool ended() const { return how_.has_value(); }
  const std::optional<Ended>& how() const { return how_; }

  void type(std::string_view bytes);
  void resize(const Size& size) { set_size(child_.in, size); }
  // Asks its programs to end; kill_if_late() ends them if they have not done so in time.
  void end();
  void kill_if_late() const;
  void attach(ShellClient& client) { clients_.push_back(&client); }
  void detach(ShellClient& client) { std::erase(clients_, &client); }

  void ready(int fd, std::uint32_t events) override;
  void child_ended(int wait_status) override;

 private:
  bool read_some();
  void write_typed();
  void show_all();
  void watch();

  Helper& helper_;
  std::string name_, command_;
  std::int64_t started_at_;
  Child child_;
  Scrollback output_;
  std::string untaken_;  // typed, and not yet taken by the terminal
  std::vector<ShellClient*> clients_;
  std::int64_t kill_at_ = 0;  // CLOCK_BOOTTIME, ns
  std::optional<Ended> how_;
};

class ShellClient final : public Purpose {
 public:
  ShellClient(std::shared_ptr<Shell> shell, Client& client);
  ~ShellClient() override;

  // Sends what is new, as much as the channel takes.
  void show();
  void hold(bool held) { client_.hold(held); }

  void typed(std::string_view bytes) override { shell_->type(bytes); }
  void typed_end() override {}  // it may type no more, and sees on
  void resized(const Size& size) override { shell_->resize(size); }
  void has_room() override { show(); }

 private:
  std::shared_ptr<Shell> shell_;
  Client& client_;
  Viewer viewer_;
};

}  // namespace berth::init
