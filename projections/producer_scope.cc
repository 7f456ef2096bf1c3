#include "projections/producer_scope.h"

#include <algorithm>

namespace berth::projections {
namespace {

constexpr std::string_view kProducerRequests[] = {
    "request_session", "terminate_session", "terminate_sessions", "share_session",
    "put_domain",      "put_project",       "put_user",           "put_membership"};  // of identity

bool covers(const State& state, const v1::ProducerOwners& owners, const v1::Owner& owner) {
  if (owners.scope() == v1::SCOPE_KIND_CLUSTER) return true;
  if (owners.scope() == v1::SCOPE_KIND_USER) return owners.id() == owner.user();
  const UserRow* user = state.users.find(owner.user());
  if (user == nullptr || user->def.domain() != owner.domain()) return false;
  if (owners.scope() == v1::SCOPE_KIND_DOMAIN) return owners.id() == owner.domain();
  if (owners.scope() != v1::SCOPE_KIND_PROJECT || owners.id() != owner.domain() + "/" + owner.project())
    return false;
  return std::ranges::find(user->def.projects(), owner.project()) != user->def.projects().end();
}

}  // namespace

std::span<const std::string_view> producer_requests() { return kProducerRequests; }

bool is_producer_request(std::string_view name) {
  return std::ranges::find(kProducerRequests, name) != std::end(kProducerRequests);
}

bool is_owner_scope(v1::ScopeKind scope) {
  return scope == v1::SCOPE_KIND_USER || scope == v1::SCOPE_KIND_PROJECT || scope == v1::SCOPE_KIND_DOMAIN ||
         scope == v1::SCOPE_KIND_CLUSTER;
}

std::string_view name_of_body(const v1::Request& request) {
  const auto* field = v1::Request::descriptor()->FindFieldByNumber(request.body_case());
  return field == nullptr ? std::string_view() : std::string_view(field->name());
}

bool has_in_scope(const v1::ProducerDefined& producer, std::string_view body) {
  return is_producer_request(body) &&
         std::ranges::find(producer.requests(), body) != producer.requests().end();
}

bool has_in_scope(const State& state, const v1::ProducerDefined& producer, const v1::Owner& owner) {
  if (owner.user().empty()) return false;
  return std::ranges::any_of(producer.owners(),
                             [&](const auto& owners) { return covers(state, owners, owner); });
}

v1::Owner owner_in_scope(const State& state, const v1::ProducerDefined& producer, const std::string& user) {
  v1::Owner owner;
  owner.set_user(user);
  const UserRow* row = state.users.find(user);
  if (row == nullptr) return has_in_scope(state, producer, owner) ? owner : v1::Owner();
  owner.set_domain(row->def.domain());
  for (const std::string& project : row->def.projects()) {
    owner.set_project(project);
    if (has_in_scope(state, producer, owner)) return owner;
  }
  owner.clear_project();
  return has_in_scope(state, producer, owner) ? owner : v1::Owner();
}

}  // namespace berth::projections
