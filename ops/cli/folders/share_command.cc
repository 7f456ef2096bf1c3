// berth folder share, unshare
#include "ops/cli/command/registry.h"
#include "ops/cli/folders/folder_choice.h"
#include "ops/cli/output/folder_view.h"
#include "ops/cli/people/people.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct Share {
  std::string folder, user, project;
  bool read_only = false;
};

std::shared_ptr<Share> add_share_words(CLI::App* verb) {
  auto o = std::make_shared<Share>();
  verb->add_option("FOLDER", o->folder, "Name or id")->required();
  verb->add_option("-u,--user", o->user, "With this person")->type_name("USER");
  verb->add_option("--project", o->project, "With the members of this project")->type_name("NAME");
  return o;
}

Outcome<int> set_share(Shell& shell, const Share& o, const char* access) {
  if (o.user.empty() == o.project.empty())
    return usage_failure("with whom? --user USER or --project NAME, one of the two");
  json::object body{{"access", access}};
  if (!o.user.empty()) body["user"] = o.user;
  if (!o.project.empty()) body["project"] = o.project;
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply = having((*api)->put(folder_target(o.folder, "/shares"), body), {"id"});
  if (!reply) return reply.failure();
  shell.out() << print_one(reply->body, folder_listing(), shell.style());
  return kOk;
}

}  // namespace

void add_folder_share(Registry& registry, CLI::App* noun) {
  auto* share = registry.verb(noun, "share", "Let a person or a project use a folder, or change how");
  const auto gives = add_share_words(share);
  share->add_flag("--read-only", gives->read_only, "They change nothing in it, and mount it read-only");
  registry.on(
      share, "  berth folder share data --user bob --read-only\n  berth folder share data --project ml",
      [gives](Shell& shell) { return set_share(shell, *gives, gives->read_only ? "read" : "write"); });
  auto* unshare = registry.verb(noun, "unshare", "End what `berth folder share` began");
  const auto takes = add_share_words(unshare);
  registry.on(unshare, "  berth folder unshare data --user bob",
              [takes](Shell& shell) { return set_share(shell, *takes, "none"); });
}

}  // namespace berth::cli
