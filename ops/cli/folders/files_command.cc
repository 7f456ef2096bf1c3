// berth folder files, mkdir, mv, remove: what lies in a folder
#include "ops/cli/command/registry.h"
#include "ops/cli/folders/folder_files.h"
#include "ops/cli/folders/folder_path.h"
#include "ops/cli/output/folder_view.h"

namespace berth::cli {
namespace {

constexpr const char* kPathForm = "FOLDER:PATH, like data:results/out.csv";

struct Paths {
  std::string from, to;
  bool recursive = false;
};

// What a verb does with the files of the folder that a path names.
using OnFiles = std::function<Outcome<bool>(FolderFiles&, const FolderPath&)>;

Outcome<int> at_path(Shell& shell, const Outcome<FolderPath>& place, const OnFiles& act) {
  if (!place) return place.failure();
  const auto api = shell.api();
  if (!api) return api.failure();
  FolderFiles files(**api, place->folder);
  if (const auto done = act(files, *place); !done) return done.failure();
  return kOk;
}

// What changes the folder itself is none of these verbs'.
Outcome<int> change_at(Shell& shell, const std::string& word, const OnFiles& act) {
  const auto place = folder_path(word);
  if (place && place->path.empty())
    return usage_failure("'" + word + "' names the whole folder", "name what is in it: " + word + "PATH");
  return at_path(shell, place, act);
}

void add_files(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<Paths>();
  auto* files = registry.verb(noun, "files", "List what lies in a folder", {"dir"});
  files->add_option("FOLDER", o->from, "Name or id, or FOLDER:PATH")->required();
  files->add_option("PATH", o->to, "Of a folder in it (default: all of it)");
  registry.on(files, "  berth folder files data\n  berth folder files data results -o wide",
              [o](Shell& shell) -> Outcome<int> {
                if (is_in_folder(o->from) && !o->to.empty())
                  return usage_failure("the path is given twice", "berth folder files data results");
                const auto place = is_in_folder(o->from) ? folder_path(o->from) : folder_path(o->from, o->to);
                return at_path(
                    shell, place, [&shell](FolderFiles& in, const FolderPath& at) -> Outcome<bool> {
                      const auto all = in.list(at.path);
                      if (!all) return all.failure();
                      shell.out() << print_list(all->items, file_listing(), shell.style());
                      if (all->not_utf8 > 0)
                        shell.note(std::to_string(all->not_utf8) +
                                   " more have names that are no UTF-8; only a session can rename them");
                      return true;
                    });
              });
}

void add_mkdir(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<Paths>();
  auto* mkdir = registry.verb(noun, "mkdir", "Make a folder in a folder");
  mkdir->add_option("PATH", o->from, kPathForm)->required();
  registry.on(mkdir, "  berth folder mkdir data:results", [o](Shell& shell) {
    return change_at(shell, o->from,
                     [](FolderFiles& in, const FolderPath& at) { return in.make_folder(at.path); });
  });
}

void add_mv(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<Paths>();
  auto* mv = registry.verb(noun, "mv", "Move or rename a file or folder within a folder");
  mv->add_option("FROM", o->from, kPathForm)->required();
  mv->add_option("TO", o->to, "Its new path in the same folder; nothing may be there")->required();
  registry.on(mv, "  berth folder mv data:out.csv data:results/out.csv", [o](Shell& shell) -> Outcome<int> {
    const auto to = folder_path(o->to);
    if (!to) return to.failure();
    return change_at(shell, o->from, [&to](FolderFiles& in, const FolderPath& from) -> Outcome<bool> {
      if (to->folder != from.folder)
        return usage_failure("a file moves within one folder",
                             "berth folder cp takes it out of one and into another");
      return in.rename(from.path, to->is_folder ? joined_path(to->path, from.name()) : to->path);
    });
  });
}

void add_remove(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<Paths>();
  auto* remove = registry.verb(noun, "remove", "Remove a file or a folder in a folder: no trash keeps it");
  remove->add_option("PATH", o->from, kPathForm)->required();
  remove->add_flag("-r,-R,--recursive", o->recursive, "A folder with all that is in it");
  registry.on(remove, "  berth folder remove data:old.csv\n  berth folder remove data:results -r",
              [o](Shell& shell) {
                return change_at(shell, o->from, [o](FolderFiles& in, const FolderPath& at) {
                  return in.remove(at.path, o->recursive);
                });
              });
}

}  // namespace

void add_folder_files(Registry& registry, CLI::App* noun) {
  add_files(registry, noun);
  add_mkdir(registry, noun);
  add_mv(registry, noun);
  add_remove(registry, noun);
}

}  // namespace berth::cli
