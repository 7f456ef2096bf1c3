// A folder's files are shared with users and projects of its own domain. Shares end with the folder, with
// whomever they name, and when they are withdrawn.
#include <algorithm>

#include "controller/decide/check_actor.h"
#include "controller/decide/decide.h"
#include "controller/decide/folders/automatic_folder.h"
#include "controller/decide/folders/folder_checks.h"
#include "controller/decide/share_checks.h"
#include "events/base/text.h"
#include "events/codec/words/enum_words.h"

namespace berth::controller {
namespace {

using projections::FolderRow;
using projections::FolderShare;
using projections::FolderState;
using projections::Verb;

bool has_share(const FolderRow& folder, const v1::ShareFolder& body) {
  return std::ranges::any_of(folder.shares, [&](const FolderShare& share) {
    return share.scope == body.scope() && share.id == body.id();
  });
}

bool is_own(const FolderRow& folder, const v1::ShareFolder& body) {
  if (body.scope() == v1::SCOPE_KIND_USER) return folder.user == body.id();
  return folder.user.empty() && folder.domain + "/" + folder.project == body.id();
}

std::optional<Refusal> check_with(const DecisionContext& c, const FolderRow& folder,
                                  const v1::ShareFolder& body) {
  if (auto refusal = check_share_with(c, folder.domain, body.scope(), body.id())) return refusal;
  if (!is_own(folder, body)) return std::nullopt;
  return Refusal{"invalid-value",
                 "folder " + folder.name + " is " + word(body.scope()) + " " + body.id() + "'s own", ""};
}

std::optional<Refusal> check(const DecisionContext& c, const FolderRow& folder, const v1::ShareFolder& body) {
  if (body.access() != "read" && body.access() != "write" && body.access() != "none")
    return Refusal{"invalid-value", "there is no access '" + clipped(body.access()) + "'",
                   "read, write or none"};
  if (folder.state == FolderState::kFailed || folder.state == FolderState::kPurging)
    return not_ready(folder, "it has no files to share");
  const bool is_known = has_share(folder, body);
  if (is_known && body.access() == "none") return std::nullopt;
  if (auto refusal = check_with(c, folder, body)) return refusal;
  if (is_known || body.access() == "none" ||
      folder.shares.size() < static_cast<std::size_t>(projections::kFolderSharesMax))
    return std::nullopt;
  return too_many_shares("folder " + folder.name, projections::kFolderSharesMax);
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::ShareFolder& body) {
  const FolderRow* folder = find_seen_folder(c, body.folder());
  if (folder == nullptr) return unknown_folder();
  if (!may_manage(c, *folder, Verb::kChange))
    return denied("folder " + folder->name + " is not yours to share");
  if (folder->is_automatic()) return is_automatic(*folder, "shared");
  if (auto refusal = check(c, *folder, body)) return *refusal;
  EventList events;
  auto* shared = events.add(c.stamp).mutable_folder_shared();
  shared->set_folder(body.folder());
  shared->set_scope(body.scope());
  shared->set_id(body.id());
  shared->set_access(body.access());
  return events;
}

}  // namespace berth::controller
