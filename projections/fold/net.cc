#include "projections/fold/net.h"

#include <algorithm>

#include "events/base/name.h"
#include "events/base/text.h"
#include "events/codec/sealing.h"
#include "events/codec/words/enum_words.h"
#include "projections/live_sessions.h"
#include "projections/producer_scope.h"
#include "projections/sealed_secrets.h"
#include "projections/subjects.h"
#include "projections/tables/session_bounds.h"

namespace berth::projections::net {
namespace {

std::string shown(const std::string& name) { return "'" + clipped(name) + "'"; }

bool is_amount(Amount amount) { return amount >= 0 && amount <= kAmountMax; }
bool is_spec_time(std::int64_t ms) { return ms >= 0 && ms <= kSpecTimeMaxMs; }

// A slot named twice, or a role, would make sums and placements ambiguous: a name is an identity here.
Forbidden check_slots(const State& state, const v1::RoleSpec& role) {
  for (int i = 0; i < role.slots_size(); ++i) {
    const v1::SlotAmount& slot = role.slots(i);
    if (state.slot_types.find(slot.slot()) == nullptr) return "no slot type is named " + shown(slot.slot());
    if (!is_amount(slot.amount())) return "an amount of " + slot.slot() + " out of range";
    for (int j = 0; j < i; ++j)
      if (role.slots(j).slot() == slot.slot()) return "slot " + slot.slot() + " is named twice";
  }
  return {};
}

Forbidden check_roles(const State& state, const v1::SessionSpec& spec) {
  if (spec.roles().empty() || spec.roles(0).role() != "main") return "the first role is not main";
  std::uint32_t kernels = 0;
  for (int i = 0; i < spec.roles_size(); ++i) {
    const v1::RoleSpec& role = spec.roles(i);
    if (role.count() == 0 || role.count() > kKernelsPerSessionMax - kernels)
      return "a session has 1 to " + std::to_string(kKernelsPerSessionMax) + " kernels, and so has a role";
    kernels += role.count();
    for (int j = 0; j < i; ++j)
      if (spec.roles(j).role() == role.role()) return "role " + shown(role.role()) + " is named twice";
    if (Forbidden reason = check_slots(state, role); !reason.empty()) return reason;
  }
  return {};
}

Forbidden check_enums(const v1::SessionSpec& spec) {
  if (spec.type() < v1::INTERACTIVE || spec.type() > v1::SYSTEM) return "a session type that does not exist";
  if (!v1::ClusterMode_IsValid(spec.mode())) return "a cluster mode that does not exist";
  if (!v1::AgentRule_IsValid(spec.agent_rule())) return "an agent rule that does not exist";
  const v1::SessionGroupRule rule = spec.session_group().rule();
  if (spec.has_session_group() && rule != v1::SPREAD && rule != v1::PACK)
    return "a session group rule that does not exist";
  return {};
}

bool has(const google::protobuf::RepeatedPtrField<std::string>& list, const std::string& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

// A target named twice would be two folders in one place.
Forbidden check_mounts(const State& state, const v1::SessionSpec& spec) {
  if (spec.mounts_size() > kMountsMax) return "more mounts than a session has";
  for (int i = 0; i < spec.mounts_size(); ++i) {
    const v1::Mount& mount = spec.mounts(i);
    const auto id = Uuid::from_bytes(mount.folder());
    const FolderRow* folder = id ? state.folders.find(FolderId(*id)) : nullptr;
    if (folder == nullptr || folder->state != FolderState::kReady)
      return "a mount of a folder that is not READY";
    if (!is_valid_name(mount.target())) return "a mount without a target";
    for (int j = 0; j < i; ++j)
      if (spec.mounts(j).target() == mount.target()) return "two mounts at " + shown(mount.target());
  }
  return {};
}

Forbidden check_spec(const State& state, const v1::SessionRequested& e) {
  const v1::SessionSpec& spec = e.spec();
  if (state.groups.find(spec.group()) == nullptr) return "no resource group is named " + shown(spec.group());
  if (!spec.image().empty() && state.images.find(spec.image()) == nullptr)
    return "no image is named " + shown(spec.image());
  for (const std::string& bytes : spec.depends_on()) {
    const auto on = Uuid::from_bytes(bytes);
    if (!on || (state.sessions.find(SessionId(*on)) == nullptr && !has(e.met(), bytes)))
      return "a dependency that does not exist";
  }
  if (!is_amount(spec.shm())) return "shm out of range";
  if (!is_spec_time(spec.pending_timeout_ms()) || !is_spec_time(spec.batch_timeout_ms()) ||
      !is_spec_time(spec.start_time_ms()))
    return "a time out of range";
  if (Forbidden reason = check_enums(spec); !reason.empty()) return reason;
  if (Forbidden reason = check_mounts(state, spec); !reason.empty()) return reason;
  return check_roles(state, spec);
}

Forbidden check_limit_slots(const State& state,
                            const google::protobuf::RepeatedPtrField<v1::SlotLimit>& slots) {
  for (const v1::SlotLimit& slot : slots) {
    if (state.slot_types.find(slot.slot()) == nullptr) return "no slot type is named " + shown(slot.slot());
    if (slot.most() < 0) return "a limit of " + slot.slot() + " out of range";
  }
  return {};
}

}  // namespace

Forbidden check_request(const State& state, const SessionId& id, const v1::SessionRequested& e) {
  if (id.is_nil()) return "a session without an id";
  if (state.sessions.find(id) != nullptr) return "session id " + to_string(id) + " is in use";
  if (state.find_live(e.owner().user(), e.name()) != nullptr)
    return "the owner has a live session named " + shown(e.name());
  if (e.has_environment())
    if (Forbidden reason = check_sealed(state, e.environment()); !reason.empty()) return reason;
  return check_spec(state, e);
}

Forbidden check_sealed(const State& state, const v1::Sealed& sealed) {
  if (!has_seal_shape(sealed)) return "a sealed value without nonce or box";
  return is_destroyed(state, sealed.key()) ? "a secret that a destroyed key sealed" : "";
}

Forbidden check_user(const State& state, const v1::UserDefined& user) {
  if (state.domains.find(user.domain()) == nullptr) return "no domain is named " + shown(user.domain());
  for (const std::string& project : user.projects())
    if (state.projects.find(user.domain() + "/" + project) == nullptr)
      return "no project is named " + shown(user.domain() + "/" + project);
  for (const std::string& project : user.admin_of())
    if (!has(user.projects(), project)) return "an administrator of a project who is no member of it";
  return has_word(user.role()) ? "" : "a role that does not exist";
}

namespace {

Forbidden check_no_members(const State& state, const v1::ProjectDefined& project) {
  Forbidden reason;
  state.users.for_each_unordered([&](const UserRow& row) {
    if (row.def.domain() == project.domain() && has(row.def.projects(), project.name()))
      reason = "project " + shown(project.name()) + " has members";
  });
  return reason;
}

Forbidden check_no_parts(const State& state, const std::string& domain) {
  Forbidden reason;
  state.users.for_each_unordered([&](const UserRow& row) {
    if (row.def.domain() == domain) reason = "domain " + shown(domain) + " has users";
  });
  state.projects.for_each_unordered([&](const ProjectRow& row) {
    if (row.def.domain() == domain) reason = "domain " + shown(domain) + " has projects";
  });
  return reason;
}

Forbidden check_no_folders(const State& state, v1::DefinitionKind kind, const std::string& name) {
  v1::Owner owner;
  if (kind == v1::DEFINITION_KIND_USER) owner.set_user(name);
  if (kind == v1::DEFINITION_KIND_PROJECT) {
    owner.set_domain(state.projects.find(name)->def.domain());
    owner.set_project(state.projects.find(name)->def.name());
  }
  return kind == v1::DEFINITION_KIND_DOMAIN || state.folders_of(owner).empty()
             ? Forbidden()
             : word(kind) + " " + shown(name) + " has folders";
}

Forbidden check_owner_removal(const State& state, v1::DefinitionKind kind, const std::string& name) {
  if (kind == v1::DEFINITION_KIND_PROJECT) {
    const ProjectRow* project = state.projects.find(name);
    if (project == nullptr) return "no project is named " + shown(name);
    if (auto reason = check_no_members(state, project->def); !reason.empty()) return reason;
  } else if (kind == v1::DEFINITION_KIND_DOMAIN) {
    if (state.domains.find(name) == nullptr) return "no domain is named " + shown(name);
    if (auto reason = check_no_parts(state, name); !reason.empty()) return reason;
  } else if (state.users.find(name) == nullptr) {
    return "no user is named " + shown(name);
  }
  if (auto reason = check_no_folders(state, kind, name); !reason.empty()) return reason;
  const auto live = live_sessions_of_owner(state, kind, name);
  return live.empty() ? Forbidden() : "session " + to_string(live.front()->id) + " is of " + shown(name);
}

}  // namespace

Forbidden check_removal(const State& state, v1::DefinitionKind kind, const std::string& name) {
  if (kind == v1::DEFINITION_KIND_DOMAIN || kind == v1::DEFINITION_KIND_PROJECT ||
      kind == v1::DEFINITION_KIND_USER)
    return check_owner_removal(state, kind, name);
  std::vector<const SessionRow*> users;
  if (kind == v1::DEFINITION_KIND_GROUP) {
    if (state.groups.find(name) == nullptr) return "no resource group is named " + shown(name);
    if (const auto agents = state.group_slots(name).agents; agents != 0)
      return "resource group " + shown(name) + " has agents";
    users = live_sessions_in_group(state, name);
  } else if (kind == v1::DEFINITION_KIND_IMAGE) {
    if (state.images.find(name) == nullptr) return "no image is named " + shown(name);
    users = live_sessions_of_image(state, name);
  } else if (kind == v1::DEFINITION_KIND_KEY) {
    if (state.key_pairs.find(name) == nullptr) return "no key pair is named " + shown(name);
  } else if (kind == v1::DEFINITION_KIND_PRODUCER) {
    if (state.producers.find(name) == nullptr) return "no producer is named " + shown(name);
  } else if (kind != v1::DEFINITION_KIND_PRESET || state.presets.find(name) == nullptr) {
    return "there is no " + shown(word(kind)) + " named " + shown(name);
  }
  return users.empty() ? Forbidden() : "session " + to_string(users.front()->id) + " uses " + shown(name);
}

Forbidden check_limit(const State& state, const v1::LimitSet& limit) {
  if (!is_limit_scope(limit.scope())) return "a scope of limits that does not exist";
  for (const v1::Count* count : {&limit.sessions(), &limit.system_sessions(), &limit.pending(),
                                 &limit.kernels_per_session(), &limit.priority()})
    if (count->most() < 0) return "a count out of range";
  if (Forbidden reason = check_limit_slots(state, limit.slots()); !reason.empty()) return reason;
  return check_limit_slots(state, limit.pending_slots());
}

Forbidden check_group(const v1::ResourceGroupDefined& group) {
  bool valid = v1::ScopeKind_IsValid(group.preemption().scope());
  for (const auto& to : group.open_to()) valid = valid && is_group_scope(to.scope());
  for (const auto& weight : group.fair_share().weights()) valid = valid && is_group_scope(weight.scope());
  return valid ? "" : "a scope of a resource group that does not exist";
}

Forbidden check_producer(const v1::ProducerDefined& producer) {
  if (!is_valid_name(producer.name())) return "a producer without a name";
  if (producer.generation() == 0) return "a producer without a generation";
  for (const std::string& request : producer.requests())
    if (!is_producer_request(request)) return "a producer of requests " + shown(request);
  for (const v1::ProducerOwners& owners : producer.owners())
    if (!is_owner_scope(owners.scope())) return "a scope of owners that does not exist";
  if (producer.owners_size() > kProducerOwnersMax) return "more owners than a producer has";
  if (!producer.token_hash().empty() && producer.token_hash().size() != sizeof(Hash128))
    return "a token's hash has 16 bytes";
  return {};
}

Forbidden check_shares(const KernelRow& kernel) {
  std::vector<std::pair<std::string_view, Amount>> left;
  for (const v1::SlotAmount& slot : kernel.role_spec().slots()) left.emplace_back(slot.slot(), slot.amount());
  for (const DeviceShare& share : kernel.devices) {
    const auto asked =
        std::find_if(left.begin(), left.end(), [&](const auto& one) { return one.first == share.slot; });
    if (asked == left.end()) return "a share of " + shown(share.slot) + ", which was not asked for";
    if (share.amount <= 0 || share.amount > asked->second)
      return "a share of " + shown(share.device) + " that is empty or beyond what was asked";
    asked->second -= share.amount;
  }
  return {};
}

}  // namespace berth::projections::net
