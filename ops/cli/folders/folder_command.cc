// berth folder: the folders themselves
#include <chrono>

#include "ops/cli/command/paging.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/command/wait.h"
#include "ops/cli/command/watch.h"
#include "ops/cli/folders/folder_choice.h"
#include "ops/cli/output/folder_view.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/people/people.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

// What FOLDER says in help texts.
constexpr const char* kFolderForm = "Name or id";

struct Ls {
  std::string volume, project;
  bool trash = false, all = false, mine = false;
};

struct Create {
  std::string name, project, volume, wait, timeout;
  bool waits = false, no_wait = false;
};

struct Removal {
  std::string folder;
  bool purge = false, yes = false;
};

struct Names {
  std::string folder, name;
};

// Prints the folder that a change answers with.
Outcome<int> print_folder(Shell& shell, const Outcome<ApiReply>& reply) {
  const auto folder = having(reply, {"id"});
  if (!folder) return folder.failure();
  shell.out() << print_one(folder->body, folder_listing(), shell.style());
  return kOk;
}

Outcome<int> list_folders(Shell& shell, const Ls& o) {
  if (o.trash && o.all) return usage_failure("--trash and --all exclude each other");
  const auto api = shell.api();
  if (!api) return api.failure();
  auto folders = get_all(**api,
                         with_query("/v1/folders", {{"volume", o.volume},
                                                    {"project", o.project},
                                                    {"mine", o.mine ? "true" : ""},
                                                    {"include", o.trash || o.all ? "trash" : ""}}),
                         "items");
  if (!folders) return folders.failure();
  json::array shown;
  for (const auto& folder : *folders) {
    const std::string state = text_at(folder, "state");
    if (!o.trash || state == "TRASHED" || state == "PURGING") shown.push_back(folder);
  }
  Listing listing = folder_listing();
  if (o.trash || o.all)
    for (auto& column : listing.columns)
      if (column.title == "KEPT UNTIL") column.wide = false;
  shell.out() << print_list(shown, listing, shell.style());
  const bool table = shell.style().format == Format::kTable || shell.style().format == Format::kWide;
  if (shown.empty() && table)
    shell.note(o.trash ? "no folder is in the trash"
                       : "no folder is here; `berth folder create NAME` makes one");
  return kOk;
}

void add_ls(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<Ls>();
  auto* ls = registry.verb(noun, "ls", "List the folders that you may see", {"list"});
  ls->add_flag("--trash", o->trash, "Only those in the trash, and until when each is kept");
  ls->add_flag("-a,--all", o->all, "Those in the trash too");
  ls->add_flag("--mine", o->mine, "Only your own");
  ls->add_option("--project", o->project, "Only of this project")->type_name("NAME");
  ls->add_option("--volume", o->volume, "Only on this volume")->type_name("VOLUME");
  registry.on(ls, "  berth folder ls\n  berth folder ls --trash\n  berth folder ls --mine -o name",
              [o](Shell& shell) { return list_folders(shell, *o); });
}

Failure failed_folder(const json::value& folder) {
  const std::string name = text_at(folder, "name"), code = text_at(folder, "code"),
                    message = text_at(folder, "message");
  return {kFailed,
          code.empty() ? Code("folder-failed") : Code::told(code),
          "folder " + name + " could not be made" + (message.empty() ? "" : ": " + message),
          "`berth folder rm " + name + " --purge` takes it away; then it can be made again",
          {}};
}

// Waits until the folder's agent has made it.
Outcome<json::value> wait_until_made(Shell& shell, Api& api, const ApiReply& made, const Create& o) {
  const auto deadline = parse_timeout(o.timeout);
  if (!deadline) return deadline.failure();
  const auto done = [](const json::value& folder) { return text_at(folder, "state") != "CREATING"; };
  const auto progress = [](const json::value& folder) {
    return text_at(folder, "name") + " " + text_at(folder, "state");
  };
  const std::string target = folder_target(text_at(made.body, "id"));
  auto folder = wait_until_at(shell, api, {target, "state"}, done, progress, *deadline, made.position);
  shell.end_status();
  if (folder) return folder;
  Failure failure = folder.failure();
  if (failure.exit == kTimeout || failure.is_interrupted()) {
    failure.exit = kTimeout;
    failure.hint = "it is made all the same: `berth folder show " + o.name + "` says when";
  }
  return failure;
}

Outcome<int> create_folder(Shell& shell, const Create& o) {
  if (o.waits && o.no_wait) return usage_failure("--wait and --no-wait exclude each other");
  if (const auto timeout = parse_timeout(o.timeout); !timeout) return timeout.failure();
  json::object body{{"name", o.name}};
  if (!o.project.empty()) body["project"] = o.project;
  if (!o.volume.empty()) body["volume"] = o.volume;
  if (!o.no_wait) shell.catch_signals();
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply = having((*api)->post("/v1/folders", body), {"id", "state"});
  if (!reply) return reply.failure();
  json::value folder = reply->body;
  if (!o.no_wait && text_at(folder, "state") == "CREATING") {
    auto made = wait_until_made(shell, **api, *reply, o);
    if (!made) return made.failure();
    folder = std::move(*made);
  }
  if (text_at(folder, "state") == "FAILED") return failed_folder(folder);
  shell.out() << print_one(folder, folder_listing(), shell.style());
  return kOk;
}

void add_create(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<Create>();
  auto* create = registry.verb(noun, "create", "Make a folder, and wait until it is READY", {"add", "make"});
  create->add_option("NAME", o->name, "Its name; sessions see it as /home/work/NAME")->required();
  create->add_option("--project", o->project, "Make it this project's: its members share it")
      ->type_name("NAME");
  create->add_option("--volume", o->volume, "Where it lies; needed where there are several (berth volume ls)")
      ->type_name("VOLUME");
  create->add_option("--wait", o->wait, "Wait until it is READY, as it does unless --no-wait")
      ->type_name(" ")
      ->expected(0, 1)
      ->check(one_of({"READY", kWaitDefault}))
      ->each([o](const std::string&) { o->waits = true; });
  create->add_flag("--no-wait", o->no_wait, "Do not wait: it is CREATING");
  create->add_option("--timeout", o->timeout, "How long to wait at most, like 30s")->type_name("DURATION");
  registry.on(create,
              "  berth folder create data\n"
              "  berth folder create results --project ml --volume shared\n"
              "  berth session run --image python:3.11 --cpu 1 --mem 512m --mount data",
              [o](Shell& shell) { return create_folder(shell, *o); });
}

void add_show_folder(Registry& registry, CLI::App* noun) {
  auto folder = std::make_shared<std::string>();
  auto* show = registry.verb(noun, "show",
                             "One folder: its owner, volume and state, with whom it is shared, "
                             "and the sessions that have it",
                             {"get"});
  show->add_option("FOLDER", *folder, kFolderForm)->required();
  registry.on(show, "  berth folder show data\n  berth folder show data -o json",
              [folder](Shell& shell) -> Outcome<int> {
                const auto api = shell.api();
                if (!api) return api.failure();
                const auto reply = having((*api)->get(folder_target(*folder)), {"id", "state"});
                if (!reply) return reply.failure();
                shell.out() << print_facts(reply->body, folder_listing(), shell.style());
                return kOk;
              });
}

void add_rename(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<Names>();
  auto* rename = registry.verb(noun, "rename", "Give a folder another name");
  rename->add_option("FOLDER", o->folder, kFolderForm)->required();
  rename->add_option("NEW", o->name, "Its new name; sessions that have it keep the old one")->required();
  registry.on(rename, "  berth folder rename data data-2025", [o](Shell& shell) -> Outcome<int> {
    const auto api = shell.api();
    if (!api) return api.failure();
    return print_folder(shell, (*api)->patch(folder_target(o->folder), json::object{{"name", o->name}}));
  });
}

Outcome<int> trash_folder(Shell& shell, Api& api, const std::string& word) {
  const auto reply = having(api.post(folder_target(word, "/trash"), json::object()), {"id", "state"});
  if (!reply) return reply.failure();
  shell.out() << print_one(reply->body, folder_listing(), shell.style());
  const std::string name = text_at(reply->body, "name"), until = text_at(reply->body, "purge_at");
  shell.note(name + " is in the trash" +
             (until.empty() ? "" : " and kept until " + local_time(until, shell.style().utc_offset)) +
             "; `berth folder restore " + name + "` brings it back");
  return kOk;
}

Outcome<bool> confirm_purge(Shell& shell, const json::value& folder) {
  const auto answer = shell.world().ask("Remove folder " + printable(text_at(folder, "name")) + " of " +
                                        printable(owner_text(folder)) + " on volume " +
                                        printable(text_at(folder, "volume.name")) +
                                        " for good, with all that is in it? [y/N] ");
  if (!answer)
    return usage_failure("--purge removes what nothing brings back, and there is no terminal to ask on",
                         "give --yes");
  if (*answer == "y" || *answer == "Y" || *answer == "yes") return true;
  return Failure{kFailed, "not-confirmed", "nothing was removed", {}, {}};
}

// A folder is purged out of the trash; one that could not be made, as it is.
Outcome<int> purge_folder(Shell& shell, Api& api, const Removal& o) {
  const auto folder = find_folder(api, o.folder, false);
  if (!folder) return folder.failure();
  if (!o.yes)
    if (const auto confirmed = confirm_purge(shell, *folder); !confirmed) return confirmed.failure();
  const std::string id = text_at(*folder, "id"), state = text_at(*folder, "state");
  if (state == "READY")
    if (const auto trashed = api.post(folder_target(id, "/trash"), json::object()); !trashed)
      return trashed.failure();
  return print_folder(shell, api.remove(folder_target(id)));
}

void add_rm(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<Removal>();
  auto* rm = registry.verb(noun, "rm", "Put a folder into the trash, which keeps it for a while",
                           {"trash", "delete"});
  rm->add_option("FOLDER", o->folder, kFolderForm)->required();
  rm->add_flag("--purge", o->purge, "Remove it for good, out of the trash too; asks before");
  rm->add_flag("-y,--yes", o->yes, "With --purge: do not ask");
  registry.on(rm,
              "  berth folder rm data\n  berth folder restore data\n  berth folder rm data --purge --yes\n\n"
              "A folder that a session mounts stays: the refusal names the sessions.",
              [o](Shell& shell) -> Outcome<int> {
                if (o->yes && !o->purge) return usage_failure("--yes belongs to --purge");
                const auto api = shell.api();
                if (!api) return api.failure();
                return o->purge ? purge_folder(shell, **api, *o) : trash_folder(shell, **api, o->folder);
              });
}

void add_restore(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<Names>();
  auto* restore = registry.verb(noun, "restore", "Take a folder out of the trash");
  restore->add_option("FOLDER", o->folder, kFolderForm)->required();
  restore->add_option("--name", o->name, "Its name from now on, where its own is taken")->type_name("NAME");
  registry.on(restore, "  berth folder restore data\n  berth folder restore data --name old-data",
              [o](Shell& shell) -> Outcome<int> {
                const auto api = shell.api();
                if (!api) return api.failure();
                const auto folder = find_folder(**api, o->folder, true);
                if (!folder) return folder.failure();
                json::object body;
                if (!o->name.empty()) body["name"] = o->name;
                return print_folder(shell,
                                    (*api)->post(folder_target(text_at(*folder, "id"), "/restore"), body));
              });
}

}  // namespace

void add_folder_commands(Registry& registry) {
  auto* noun =
      registry.noun("folder", "Folders: files that outlast sessions, and that sessions mount", {"folders"});
  add_ls(registry, noun);
  add_create(registry, noun);
  add_show_folder(registry, noun);
  add_rename(registry, noun);
  add_rm(registry, noun);
  add_restore(registry, noun);
  add_folder_share(registry, noun);
  add_folder_files(registry, noun);
  add_folder_cp(registry, noun);
  add_volume_ls(registry, noun, "volumes");
}

}  // namespace berth::cli
