// The apps of a kernel that were started, by name.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "agents/init/client.h"

namespace berth::init {

class App;

class Apps {
 public:
  static constexpr std::size_t kAppsMax = 32;

  explicit Apps(Helper& helper) : helper_(helper) {}

  // Starts the app unless it runs, and shows it. Codes: those of App::start, too-many-apps, no-such-app.
  std::optional<Problem> serve(const Request& request, Client& client, std::unique_ptr<Purpose>& purpose);
  void list(Client& client) const;
  // Ends the app, and says so when it is gone. Code no-such-app.
  std::optional<Problem> serve_end(const Request& request, Client& client, std::unique_ptr<Purpose>& purpose);
  // One that runs. Codes: no-such-app, app-ended.
  std::optional<Problem> find(const std::string& name, std::shared_ptr<const App>& app) const;
  std::size_t running() const;

 private:
  std::optional<Problem> start(const Request& request, std::shared_ptr<App>& app);
  void forget_one_that_ended();

  Helper& helper_;
  std::map<std::string, std::shared_ptr<App>> apps_;
};

}  // namespace berth::init
