// App: a program that serves connections in the kernel, from its start to its end. It outlives the channels
// that look at it; what it prints is kept, the newest of it. A start again is another App.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/init/connector.h"
#include "agents/init/helper.h"
#include "agents/init/viewer.h"

namespace berth::init {

// Is told when an app has printed something, or is in another state.
class AppViewer {
 public:
  virtual ~AppViewer() = default;
  virtual void show() = 0;
};

class App final : public Watcher, public Parent, public Looker {
 public:
  // `restarts`: starts of this app before this one. Codes: app-folder (its socket cannot be made), app-token,
  // and those of start_child.
  static std::optional<Problem> start(Helper& helper, const Request& request, std::uint32_t restarts,
                                      std::shared_ptr<App>& app);
  App(Helper& helper, const Request& request, std::uint32_t restarts, std::string token, Child child);
  ~App() override;

  const Scrollback& output() const { return output_; }
  const inside::AppEntry& entry() const { return entry_; }
  // The newest bytes of its output.
  std::string tail() const;
  Place place() const { return {entry_.port, socket_}; }
  // Of this start; empty: it has none.
  const std::string& token() const { return token_; }
  bool ended() const { return entry_.state == inside::AppState::kEnded; }
  // Asks it to end; 5 s later it is made to.
  void end();

  void attach(AppViewer& viewer) { viewers_.push_back(&viewer); }
  void detach(AppViewer& viewer) { std::erase(viewers_, &viewer); }

  void ready(int fd, std::uint32_t events) override;
  // Asks whether somebody listens where it is to listen; of one that is to end, whether it is late.
  void look() override;
  void child_ended(int wait_status) override;

 private:
  bool read_some(Descriptor& from);
  void probe();
  void change_to(inside::AppState state);
  void show_all();

  Helper& helper_;
  inside::AppEntry entry_;
  std::string socket_;  // where it listens; empty: it has a port
  std::string token_;
  Child child_;
  Scrollback output_{inside::kAppLogMax};
  std::unique_ptr<Connector> probe_;
  std::int64_t next_probe_ = 0;  // CLOCK_BOOTTIME, ns
  std::int64_t probe_pause_;     // ns
  std::int64_t kill_at_ = 0;     // CLOCK_BOOTTIME, ns; 0: nobody has asked for its end
  std::vector<AppViewer*> viewers_;
};

// A channel that looks at an app.
class AppClient final : public Purpose, public AppViewer {
 public:
  AppClient(std::shared_ptr<App> app, Client& client);
  ~AppClient() override;

  // Sends the state, if it is another one, and what is new of the output.
  void show() override;

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

// A channel that waits for an app's end.
class AppEnd final : public Purpose, public AppViewer {
 public:
  AppEnd(std::shared_ptr<App> app, Client& client);
  ~AppEnd() override;

  void show() override;

  void typed(std::string_view) override {}
  void typed_end() override {}
  void resized(const Size&) override {}
  void has_room() override {}

 private:
  std::shared_ptr<App> app_;
  Client& client_;
};

}  // namespace berth::init
