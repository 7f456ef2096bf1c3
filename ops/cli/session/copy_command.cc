// berth session cp
#include <unistd.h>

#include "ops/cli/command/registry.h"
#include "ops/cli/session/copy_stream.h"
#include "ops/cli/session/inside_open.h"

namespace berth::cli {
namespace {

struct Copy {
  std::string from, to, kernel;
  bool recursive = false;
};

// SESSION:PATH, as of scp: the first colon stands before the first slash.
struct Side {
  std::string session;  // empty: this machine
  std::string path;
};

Side side_of(const std::string& word) {
  const auto colon = word.find(':');
  if (colon == std::string::npos || colon == 0 || word.find('/') < colon) return {"", word};
  std::string path = word.substr(colon + 1);
  // The person's shell makes HOME of "~" only at the beginning of a word; a relative path begins there too.
  if (path == "~" || path.starts_with("~/")) path.erase(0, 2);
  if (path.empty()) path = ".";
  return {word.substr(0, colon), std::move(path)};
}

Outcome<int> copy_files(Shell& shell, const Copy& o) {
  const Side from = side_of(o.from), to = side_of(o.to);
  if (from.session.empty() == to.session.empty())
    return usage_failure("one of the two is to be SESSION:PATH, the other a path of this machine",
                         "for example: berth cp data.csv demo:   or   berth cp demo:results .");
  const bool takes = to.session.empty();
  const auto& here = shell.world().descriptors;
  if ((takes ? to : from).path == "-" && ::isatty(takes ? here.out : here.in) == 1)
    return usage_failure("a tar stream is nothing for a terminal", "pipe it: berth cp demo:data - | tar t");
  CopyAim aim;
  aim.request.what = takes ? inside::Request::What::kPack : inside::Request::What::kUnpack;
  aim.request.path = takes ? from.path : to.path;
  aim.local = takes ? to.path : from.path;
  const std::string& session = takes ? from.session : to.session;
  aim.target = inside_target(session, "copy", o.kernel);
  auto socket = shell.make_socket();
  if (!socket) return socket.failure();
  return CopyStream(shell, *socket->socket, std::move(socket->sign), std::move(aim)).run();
}

}  // namespace

void add_session_cp(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<Copy>();
  auto* cp = registry.verb(noun, "cp", "Copy files into a session that runs, or out of it");
  cp->add_option("SRC", o->from, "A path here, SESSION:PATH, or - for a tar stream from stdin")->required();
  cp->add_option("DST", o->to, "The same; - for a tar stream to stdout")->required();
  cp->add_option("-k,--kernel", o->kernel, "In which kernel (default main1)")->type_name("NAME");
  cp->add_flag("-r,-R,--recursive", o->recursive, "Changes nothing: folders are copied with all in them");
  registry.on(
      cp,
      "  berth session cp data.csv demo:\n"
      "  berth cp demo:results ./results\n"
      "  berth cp src/. demo:/home/work/src\n"
      "  berth cp demo:logs - | tar t\n\n"
      "As `cp -r`: into DST if it is a folder, else under that name. A path of a session begins at its "
      "HOME.\n"
      "Files, folders and links are copied, with times and permissions; what else there is, and links that "
      "lead out\n"
      "of what comes here, are named and left out (exit code 1).",
      [o](Shell& shell) { return copy_files(shell, *o); });
}

}  // namespace berth::cli
