// The helper: the one process in a kernel that does what the agent asks for inside. It takes channels from
// the door, runs programs, and keeps shells and apps, which outlive their channels. A bad request is a
// Problem on its channel and never the helper's end. One thread.
//
//   door --accept--> Client --request--> Exec, Connect, Shell or App, or a process of its own (aside.h)
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agents/init/apps.h"
#include "agents/init/client.h"
#include "agents/init/loop.h"
#include "agents/init/loss_scan.h"

namespace berth::init {

class Shell;

// Is told how a child of the helper ended.
class Parent {
 public:
  virtual ~Parent() = default;
  virtual void child_ended(int wait_status) = 0;
};

// Looks after something at times.
class Looker {
 public:
  virtual ~Looker() = default;
  virtual void look() = 0;
};

class Helper final : public Watcher {
 public:
  static constexpr std::size_t kChannelsMax = 1024;
  static constexpr std::size_t kShellsMax = 64;
  static constexpr std::size_t kProgramsMax =
      256;  // besides shells, copies among them; also those whose channel is gone
  static constexpr std::size_t kLossScansMax = 4;

  // `restarts`: helpers of this kernel before this one.
  Helper(Descriptor door, std::uint32_t restarts, LossGround ground);
  ~Helper() override;
  // Serves for ever; returns if it cannot.
  int run();

  Loop& loop() { return loop_; }
  Apps& apps() { return apps_; }
  inside::Begun begun() const { return {.restarts = restarts_}; }
  void begin(Client& client, inside::Begun begun);
  // Begins what the request asks for. Codes: those of start_child, too-many-shells, too-many-programs,
  // kernel-busy, no-such-shell, and those of Apps; those of a copy come from it.
  std::optional<Problem> serve(const Request& request, Client& client, std::unique_ptr<Purpose>& purpose);
  void adopt(pid_t child, Parent& parent) { children_[child] = &parent; }
  // The child lives on, and nobody asks how it ends.
  void disown(pid_t child) { children_[child] = nullptr; }
  // `looker` is called a few times a second from now on.
  void look_at_times(Looker& looker) { lookers_.insert(&looker); }
  void look_no_more(Looker& looker) { lookers_.erase(&looker); }

  void ready(int fd, std::uint32_t events) override;

 private:
  // Counts those that run: each walks all files of the kernel.
  struct LossScans final : Parent {
    std::size_t running = 0;
    void child_ended(int) override { --running; }
  };

  std::optional<Problem> check_room() const;
  std::optional<Problem> serve_exec(const Request& request, Client& client,
                                    std::unique_ptr<Purpose>& purpose);
  std::optional<Problem> serve_shell(const Request& request, Client& client,
                                     std::unique_ptr<Purpose>& purpose);
  void serve_shells(Client& client);
  std::optional<Problem> serve_copy(const Request& request, Client& client);
  std::optional<Problem> serve_losses(Client& client);
  std::optional<Problem> serve_shell_end(const Request& request, Client& client);
  void accept_clients();
  void reap();
  void remove_ended();
  void remove_ended_shells();
  void kill_those_that_stay();
  void call_lookers();

  Loop loop_;
  Descriptor door_, signals_;
  std::uint32_t restarts_;
  LossGround ground_;
  LossScans loss_scans_;
  bool closed_ = false;  // the door is not looked at: no descriptors are left, or too many channels are open
  std::map<pid_t, Parent*> children_;
  std::set<Looker*> lookers_;
  Apps apps_;
  std::map<std::string, std::shared_ptr<Shell>> shells_;
  std::vector<std::shared_ptr<Shell>> ending_;    // were asked to end, and have not yet
  std::vector<std::unique_ptr<Client>> clients_;  // last: they end before what they use
};

// The life of a helper, in a process of its own. `started_at`: loss_ground(). Returns the exit code.
int run_helper(int door, std::uint32_t restarts, std::optional<std::int64_t> started_at);

}  // namespace berth::init
