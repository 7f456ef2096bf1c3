#include "controller/decide/check_owner.h"

#include <algorithm>

#include "events/base/text.h"

namespace berth::controller {
namespace {

Refusal unknown_owner(std::string message) { return {"unknown-owner", std::move(message), ""}; }

bool is_in(const v1::UserDefined& user, const v1::Owner& owner) {
  if (user.role() == v1::ROLE_SUPERADMIN) return true;
  return user.domain() == owner.domain() &&
         std::find(user.projects().begin(), user.projects().end(), owner.project()) != user.projects().end();
}

}  // namespace

std::optional<Refusal> check_owner(const projections::State& state, const v1::Owner& owner) {
  const auto* user = state.users.find(owner.user());
  if (user == nullptr) return unknown_owner("no user is named '" + clipped(owner.user()) + "'");
  if (user->def.disabled())
    return Refusal{"user-disabled", "user " + owner.user() + " is disabled", "ask an administrator"};
  const std::string project = owner.domain() + "/" + owner.project();
  if (state.projects.find(project) == nullptr)
    return unknown_owner("no project is named '" + clipped(project, 160) + "'");
  if (!is_in(user->def, owner))
    return unknown_owner("user " + owner.user() + " is not in project " + clipped(project, 160));
  if (owner.keypair().empty()) return std::nullopt;
  const auto* key = state.key_pairs.find(owner.keypair());
  if (key == nullptr || key->def.user() != owner.user())
    return unknown_owner("user " + owner.user() + " has no key pair '" + clipped(owner.keypair()) + "'");
  return std::nullopt;
}

}  // namespace berth::controller
