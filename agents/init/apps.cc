#include "agents/init/apps.h"

#include <algorithm>
#include <utility>

#include "agents/init/app.h"

namespace berth::init {
namespace {

Problem no_such_app(const std::string& name) {
  return {"no-such-app", "no app '" + name + "' was started in this kernel"};
}

}  // namespace

std::optional<Problem> Apps::serve(const Request& request, Client& client,
                                   std::unique_ptr<Purpose>& purpose) {
  const auto found = apps_.find(request.name);
  std::shared_ptr<App> app = found == apps_.end() ? nullptr : found->second;
  if (!app && request.existing) return no_such_app(request.name);
  const bool starts = !request.existing && (!app || app->ended());
  if (starts)
    if (auto problem = start(request, app)) return problem;
  const Scrollback& output = app->output();
  helper_.begin(client,
                {.scrollback = output.end() - output.begin(), .lost = output.begin(), .made = starts});
  auto looks = std::make_unique<AppClient>(std::move(app), client);
  looks->show();
  purpose = std::move(looks);
  return std::nullopt;
}

// `app`: the one that has ended, or none; then the new one.
std::optional<Problem> Apps::start(const Request& request, std::shared_ptr<App>& app) {
  if (!app) forget_one_that_ended();
  if (!app && apps_.size() >= kAppsMax) return Problem{"too-many-apps", "32 apps run in this kernel already"};
  const std::uint32_t restarts = app ? app->entry().restarts + 1 : 0;
  if (auto problem = App::start(helper_, request, restarts, app)) return problem;
  apps_[request.name] = app;
  return std::nullopt;
}

void Apps::forget_one_that_ended() {
  const auto ended =
      std::find_if(apps_.begin(), apps_.end(), [](const auto& entry) { return entry.second->ended(); });
  if (apps_.size() >= kAppsMax && ended != apps_.end()) apps_.erase(ended);
}

void Apps::list(Client& client) const {
  helper_.begin(client, {});
  for (const auto& [name, app] : apps_) {
    inside::AppEntry entry = app->entry();
    entry.log = app->tail();
    client.send(FrameType::kApp, encode(entry));
  }
  client.end({});
}

std::optional<Problem> Apps::serve_end(const Request& request, Client& client,
                                       std::unique_ptr<Purpose>& purpose) {
  const auto found = apps_.find(request.name);
  if (found == apps_.end()) return no_such_app(request.name);
  helper_.begin(client, {});
  auto end = std::make_unique<AppEnd>(found->second, client);
  end->show();
  purpose = std::move(end);
  return std::nullopt;
}

std::optional<Problem> Apps::find(const std::string& name, std::shared_ptr<const App>& app) const {
  const auto found = apps_.find(name);
  if (found == apps_.end()) return no_such_app(name);
  if (found->second->ended()) return Problem{"app-ended", "the app '" + name + "' has ended"};
  app = found->second;
  return std::nullopt;
}

std::size_t Apps::running() const {
  return static_cast<std::size_t>(
      std::count_if(apps_.begin(), apps_.end(), [](const auto& entry) { return !entry.second->ended(); }));
}

}  // namespace berth::init
