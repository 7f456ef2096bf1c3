// berth folder cp
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "ops/cli/command/registry.h"
#include "ops/cli/folders/folder_choice.h"
#include "ops/cli/folders/folder_copy.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

struct Words {
  std::string from, to;
  bool recursive = false, keep = false;
};

// All of stdin in a file without a name: size and hash come before the bytes.
Outcome<Descriptor> kept_input(Shell& shell) {
  const std::string folder = shell.world().environment("TMPDIR").value_or("/tmp");
  Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  const auto failed = [&folder] {
    return Failure{kFailed,
                   "write-failed",
                   "cannot keep stdin in " + folder + ": " + std::strerror(errno),
                   "TMPDIR says where there is room",
                   {}};
  };
  if (!file) return failed();
  std::array<char, 64 << 10> bytes;
  for (;;) {
    const ssize_t got = ::read(shell.world().descriptors.in, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return Failure{
          kFailed, "read-failed", std::string("cannot read stdin: ") + std::strerror(errno), {}, {}};
    if (got == 0) return file;
    for (ssize_t at = 0; at < got;) {
      const ssize_t wrote = ::write(file.get(), bytes.data() + at, static_cast<std::size_t>(got - at));
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return failed();
      at += wrote;
    }
  }
}

// A folder that is given another name meanwhile stays the same one.
Outcome<std::string> id_of(Api& api, const std::string& folder) {
  const auto reply = having(api.get(folder_target(folder)), {"id"});
  if (!reply) return reply.failure();
  return text_at(reply->body, "id");
}

Outcome<int> copy_in(Shell& shell, const Words& o) {
  const auto to = folder_path(o.to);
  if (!to) return to.failure();
  const bool is_stream = o.from == "-";
  if (is_stream && to->is_folder)
    return usage_failure("what comes from stdin has no name", "for example berth folder cp - data:out.csv");
  if (is_stream && ::isatty(shell.world().descriptors.in) == 1)
    return usage_failure("a terminal has nothing to copy", "pipe it: make | berth folder cp - data:log");
  Descriptor input;
  if (is_stream) {  // while Ctrl-C still ends the program
    auto kept = kept_input(shell);
    if (!kept) return kept.failure();
    input = std::move(*kept);
  }
  shell.catch_signals();
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto id = id_of(**api, to->folder);
  if (!id) return id.failure();
  FolderFiles files(**api, *id);
  FolderCopy copy(shell, files, {o.recursive, !o.keep});
  return is_stream ? copy.in(input.get(), *to) : copy.in(o.from, *to);
}

Outcome<int> copy_out(Shell& shell, const Words& o) {
  const auto from = folder_path(o.from);
  if (!from) return from.failure();
  const bool is_stream = o.to == "-";
  if (is_stream && from->is_folder)
    return usage_failure("only a file goes to stdout", "berth folder cp data:log -");
  if (!is_stream) shell.catch_signals();  // what is half there is removed
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto id = id_of(**api, from->folder);
  if (!id) return id.failure();
  FolderFiles files(**api, *id);
  FolderCopy copy(shell, files, {o.recursive, !o.keep});
  return is_stream ? copy.out_to_stdout(*from) : copy.out(*from, o.to);
}

Outcome<int> copy_files(Shell& shell, const Words& o) {
  const bool in = is_in_folder(o.to), out = is_in_folder(o.from);
  if (in == out)
    return usage_failure(
        "one of the two is to be FOLDER:PATH, the other a path of this machine",
        "for example: berth folder cp data.csv data:   or   berth folder cp data:results . -r");
  return in ? copy_in(shell, o) : copy_out(shell, o);
}

}  // namespace

void add_folder_cp(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<Words>();
  auto* cp = registry.verb(noun, "cp", "Copy files into a folder, or out of it");
  cp->add_option("SRC", o->from, "A path here, FOLDER:PATH, or - for stdin")->required();
  cp->add_option("DST", o->to, "The same; - for stdout")->required();
  cp->add_flag("-r,-R,--recursive", o->recursive, "A folder with all that is in it");
  cp->add_flag("-n,--no-overwrite", o->keep, "Refuse where a file is there already");
  registry.on(
      cp,
      "  berth folder cp data.csv data:\n"
      "  berth folder cp src data:code -r\n"
      "  berth folder cp data:results/out.csv .\n"
      "  berth folder cp data:log - | tail\n"
      "  make 2>&1 | berth folder cp - data:log\n\n"
      "As `cp`: into DST if it is a folder, else under that name. A copy whose connection is cut goes on "
      "where it was; one\n"
      "that is stopped begins anew. A file is there whole or not at all. Links are not copied, nor what "
      "is no file; both are\n"
      "named (exit code 1). Times and permissions are those of new files. A session that mounts the "
      "folder sees what came.",
      [o](Shell& shell) { return copy_files(shell, *o); });
}

}  // namespace berth::cli
