#include "controller/api/inside/app_list.h"

#include "controller/api/inside/inquiry.h"
#include "controller/api/inside/messages.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using inside::AppEntry;
using inside::Request;

// The helper itself gives an app 5 s to end.
constexpr std::chrono::milliseconds kEndPatience{15'000};

json::object app_to_json(const ImageApp& app, const AppEntry* started) {
  json::object out{{"name", app.name},
                   {"title", app.title},
                   {"protocol", to_string(app.protocol)},
                   {"port", app.port},
                   {"state", started == nullptr ? "stopped" : name_of(started->state)}};
  if (started == nullptr) return out;
  out["exit_code"] = started->code;
  out["signal"] = started->signal;
  out["restarts"] = started->restarts;
  out["log"] = started->log;
  return out;
}

const AppEntry* find_started(const std::vector<inside::Answer>& entries, const std::string& name) {
  for (const inside::Answer& entry : entries)
    if (const auto* app = std::get_if<AppEntry>(&entry); app != nullptr && app->name == name) return app;
  return nullptr;
}

HttpReply list_of(const std::vector<ImageApp>& declared, const std::vector<inside::Answer>& started) {
  json::array items;
  for (const ImageApp& app : declared) items.push_back(app_to_json(app, find_started(started, app.name)));
  return json_reply(200, json::object{{"items", std::move(items)}});
}

}  // namespace

void list_apps(const Services& services, const CallPtr& call, const Reply& reply,
               const std::vector<ImageApp>& declared, const std::optional<KernelPlace>& kernel) {
  if (!kernel) return reply(list_of(declared, {}));
  Request request;
  request.what = Request::What::kApps;
  inquire(services, *kernel, request, kInquiryPatience,
          [call, reply, declared](const Result<std::vector<inside::Answer>>& started) {
            if (!started.ok()) return reply(problem_reply(to_problem(started.error()), *call));
            reply(list_of(declared, *started));
          });
}

void end_app(const Services& services, const CallPtr& call, const Reply& reply, const KernelPlace& kernel,
             const std::string& app) {
  Request request;
  request.what = Request::What::kAppEnd;
  request.name = app;
  inquire(services, kernel, request, kEndPatience,
          [call, reply](const Result<std::vector<inside::Answer>>& ended) {
            if (!ended.ok()) return reply(problem_reply(to_problem(ended.error()), *call));
            HttpReply out;
            out.status = 204;
            out.content_type.clear();
            reply(std::move(out));
          });
}

}  // namespace berth::controller::api
