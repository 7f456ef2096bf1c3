// berth folder share, unshare
#include "ops/cli/command/registry.h"
#include "ops/cli/folders/folder_choice.h"
#include "ops/cli/output/folder_view.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/table.h"
#include "ops/cli/people/share_words.h"

namespace berth::cli {
namespace {

struct Share {
  ShareWords words;
  bool read_only = false;
};

// What a session has mounted it keeps, as a program keeps a file that it has open.
void tell_who_keeps_it(Shell& shell, const boost::json::value& folder) {
  std::string names;
  for (const auto& session : array_at(folder, "sessions"))
    names += (names.empty() ? "" : ", ") + text_at(session, "name");
  const std::int64_t more = integer_at(folder, "more_sessions");
  if (more > 0) names += (names.empty() ? "" : " and ") + std::to_string(more) + " of others";
  if (names.empty()) return;
  shell.err() << "It is mounted now by sessions: " << printable(names)
              << ". These keep it, as it was shared when they were asked for, until they end." << std::endl;
}

Outcome<int> set_share(Shell& shell, const ShareWords& words, const char* access) {
  auto body = share_body(words);
  if (!body) return body.failure();
  (*body)["access"] = access;
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply = having((*api)->put(folder_target(words.what, "/shares"), *body), {"id"});
  if (!reply) return reply.failure();
  shell.out() << print_one(reply->body, folder_listing(), shell.style());
  if (std::string_view(access) != "write") tell_who_keeps_it(shell, reply->body);
  return kOk;
}

}  // namespace

void add_folder_share(Registry& registry, CLI::App* noun) {
  auto gives = std::make_shared<Share>();
  auto* share = registry.verb(noun, "share", "Let a person or a project use a folder, or change how");
  add_share_words(share, "FOLDER", gives->words);
  share->add_flag("--read-only", gives->read_only, "They change nothing in it, and mount it read-only");
  registry.on(
      share, "  berth folder share data --user bob --read-only\n  berth folder share data --project ml",
      [gives](Shell& shell) { return set_share(shell, gives->words, gives->read_only ? "read" : "write"); });
  auto takes = std::make_shared<ShareWords>();
  auto* unshare = registry.verb(noun, "unshare", "End what `berth folder share` began");
  add_share_words(unshare, "FOLDER", *takes);
  registry.on(unshare, "  berth folder unshare data --user bob",
              [takes](Shell& shell) { return set_share(shell, *takes, "none"); });
}

}  // namespace berth::cli
