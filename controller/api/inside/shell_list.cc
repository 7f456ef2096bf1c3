#include "controller/api/inside/shell_list.h"

#include <algorithm>

#include "controller/api/inside/inquiry.h"
#include "controller/api/map/json_values.h"

namespace berth::controller::api {

namespace json = boost::json;
using inside::Request;

void list_shells(const Services& services, const CallPtr& call, const Reply& reply,
                 const KernelPlace& kernel) {
  Request request;
  request.what = Request::What::kShells;
  inquire(services, kernel, request, kInquiryPatience,
          [call, reply](const Result<std::vector<inside::Answer>>& shells) {
            if (!shells.ok()) return reply(problem_reply(to_problem(shells.error()), *call));
            json::array items;
            for (const inside::Answer& entry : *shells) {
              const auto& shell = std::get<inside::ShellEntry>(entry);
              items.push_back({{"name", shell.name},
                               {"command", shell.command},
                               {"started_at", time_or_null(std::max<Timestamp>(shell.started_at, 0))},
                               {"clients", shell.clients}});
            }
            reply(json_reply(200, json::object{{"items", std::move(items)}}));
          });
}

void end_shell(const Services& services, const CallPtr& call, const Reply& reply, const KernelPlace& kernel,
               const std::string& shell) {
  Request request;
  request.what = Request::What::kShellEnd;
  request.name = shell;
  inquire(services, kernel, request, kInquiryPatience,
          [call, reply, shell](const Result<std::vector<inside::Answer>>& ended) {
            if (!ended.ok()) return reply(problem_reply(to_problem(ended.error()), *call));
            reply(json_reply(200, json::object{{"name", shell}}));
          });
}

}  // namespace berth::controller::api
