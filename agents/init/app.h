// App: a program that serves connections in the kernel, from its start to its end. It outlives the channels
// that look at it; what it prints is kept, the newest of it. A start again is another App.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/init/connector.h"
#include "agents/init/helper.h"
#include "agents/init/viewer.h"

namespace berth::init {

class AppClient;

class App final : public Watcher, public Parent, public Looker {
 public:
  // `restarts`: starts of this app before this one. Codes: app-folder (its socket cannot be made), and those
  // of start_child.
  static std::optional<Problem> start(Helper& helper, const Request& request, std::uint32_t restarts,
                                      std::shared_ptr<App>& app);
  App(Helper& helper, const Request& request, std::uint32_t restarts, Child child);
  ~App() override;

  const Scrollback& output() const { return output_; }
  const inside::AppEntry& entry() const { return entry_; }
  // The newest bytes of its output.
  std::string tail() const;
  Place place() const;
  bool ended() const { return entry_.state == inside::AppState::kEnded; }

  void attach(AppClient& client) { clients_.push_back(&client); }
  void detach(AppClient& client) { std::erase(clients_, &client); }

  void ready(int fd, std::uint32_t events) override;
  // Asks whether somebody listens where it is to listen.
  void look() override;
  void child_ended(int wait_status) override;

 private:
  bool read_some(Descriptor& from);
  void probe();
  void change_to(inside::AppState state);
  void show_all();

  Helper& helper_;
  inside::AppEntry entry_;
  Child child_;
  Scrollback output_{inside::kAppLogMax};
  std::unique_ptr<Connector> probe_;
  std::int64_t next_probe_ = 0;  // CLOCK_BOOTTIME, ns
  std::int64_t probe_pause_;     // ns
  std::vector<AppClient*> clients_;
};

// A channel that looks at an app.
class AppClient final : public Purpose {
 public:
  AppClient(std::shared_ptr<App> app, Client& client);
  ~AppClient() override;

  // Sends the state, if it is another one, and what is new of the output.
  void show();

  void typed(std::string_view) override {}
  void typed_end() override {}
  void resized(const Size&) override {}
  void has_room() override { show(); }

 private:
  std::shared_ptr<App> app_;
  Client& client_;
  Viewer viewer_;
  std::optional<inside::AppState> told_;
};

}  // namespace berth::init
