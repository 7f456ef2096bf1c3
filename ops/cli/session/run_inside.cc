#include "ops/cli/session/run_inside.h"

#include "ops/cli/command/wait.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"
#include "ops/cli/session/attach.h"
#include "ops/cli/session/inside_open.h"
#include "ops/cli/session/inside_stream.h"
#include "ops/cli/session/interrupts.h"

namespace berth::cli {
namespace {

Outcome<int> run_command(Shell& shell, const std::string& id, const std::string& name, const InsideRun& run) {
  auto socket = shell.make_socket();
  if (!socket) return socket.failure();
  Interrupts interrupts;  // the session is ended before this process
  InsideAim aim;
  aim.request.what = inside::Request::What::kExec;
  aim.request.args = run.command;
  aim.request.terminal = run.terminal;
  aim.target = inside_target(id, "exec", {});
  aim.name = "the program in " + name;
  aim.interrupts = &interrupts;
  return InsideStream(shell, *socket->socket, std::move(socket->sign), std::move(aim)).run();
}

}  // namespace

Outcome<int> run_inside(Shell& shell, Api& api, const boost::json::value& session, std::int64_t position,
                        const InsideRun& run) {
  const std::string id = text_at(session, "id"), name = text_at(session, "name");
  if (auto wrong = lacking(session, {"id", "name"})) return std::move(*wrong);
  const auto news = [](const boost::json::value& now) { return judge(now, "RUNNING") != Progress::kNotYet; };
  const auto waited = wait_until(shell, api, id, news, true, run.until_running, position);
  shell.end_status();
  if (waited && judge(*waited, "RUNNING") == Progress::kMissed) {
    shell.note(parting_words(*waited));
    return kFailed;
  }
  auto exit = waited ? run_command(shell, id, name, run) : Outcome<int>(waited.failure());
  const auto ended = api.remove(
      with_query("/v1/sessions/" + percent_encoded(id), {{"reason", "the command that it was for is over"}}));
  if (!ended && ended.failure().exit != kConflict)  // it has ended by itself
    shell.note(name + " could not be ended (" + ended.failure().message + "): `berth session rm " + name +
               "` ends it");
  return exit;
}

}  // namespace berth::cli
