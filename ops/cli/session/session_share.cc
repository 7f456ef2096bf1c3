// berth session share, unshare
#include "ops/cli/command/registry.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"
#include "ops/cli/people/share_words.h"

namespace berth::cli {
namespace {

Outcome<int> set_share(Shell& shell, const ShareWords& words, bool withdraw) {
  auto body = share_body(words);
  if (!body) return body.failure();
  if (withdraw) (*body)["withdraw"] = true;
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply =
      having((*api)->put("/v1/sessions/" + percent_encoded(words.what) + "/shares", *body), {"session"});
  if (!reply) return reply.failure();
  const boost::json::value& session = *find_path(reply->body, "session");
  shell.out() << print_one(session, with_shares(session_listing(shell.now())), shell.style());
  return kOk;
}

}  // namespace

void add_session_share(Registry& registry, CLI::App* noun) {
  auto given = std::make_shared<ShareWords>(), taken = std::make_shared<ShareWords>();
  auto* share =
      registry.verb(noun, "share", "Let a person or a project into a session: its log, terminals and apps");
  add_share_words(share, "SESSION", *given);
  registry.on(share, "  berth session share demo-1 --user bob\n  berth session share demo-1 --project ml",
              [given](Shell& shell) { return set_share(shell, *given, false); });
  auto* unshare = registry.verb(noun, "unshare",
                                "End what `berth session share` began; what they have open is cut at once");
  add_share_words(unshare, "SESSION", *taken);
  registry.on(unshare, "  berth session unshare demo-1 --user bob",
              [taken](Shell& shell) { return set_share(shell, *taken, true); });
}

}  // namespace berth::cli
