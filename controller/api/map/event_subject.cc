#include "controller/api/map/event_subject.h"

#include "controller/api/map/event_json.h"

namespace berth::controller::api {
namespace {

v1::Owner of_domain(const std::string& domain) {
  v1::Owner out;
  out.set_domain(domain);
  return out;
}

v1::Owner of_project(const std::string& domain, const std::string& project) {
  v1::Owner out = of_domain(domain);
  out.set_project(project);
  return out;
}

v1::Owner of_user(const projections::State& state, const std::string& user) {
  v1::Owner out;
  const auto* row = state.users.find(user);
  if (row == nullptr) return out;
  out.set_domain(row->def.domain());
  out.set_user(user);
  return out;
}

v1::Owner of_key(const projections::State& state, const std::string& id) {
  const auto* row = state.key_pairs.find(id);
  return row == nullptr ? v1::Owner() : of_user(state, row->def.user());
}

std::string user_who_asked(const v1::Event& event) {
  constexpr std::string_view kUser = "user:";
  return event.actor().starts_with(kUser) ? event.actor().substr(kUser.size()) : "";
}

// Of the user who asked alone: their administrators may not be those of what it is about.
v1::Owner of_actor_alone(const v1::Event& event) {
  v1::Owner out;
  out.set_user(user_who_asked(event));
  return out;
}

// Of the user who asked, whom their administrators see: as long as that user reaches no further than these. A
// refusal says what it is about.
v1::Owner of_actor(const projections::State& state, const v1::Event& event) {
  const auto* row = state.users.find(user_who_asked(event));
  const bool reaches_all =
      row != nullptr && row->def.role() != v1::ROLE_USER && row->def.role() != v1::ROLE_DOMAIN_ADMIN;
  return reaches_all ? of_actor_alone(event) : of_user(state, user_who_asked(event));
}

// One that has ended has left the state: it is of nobody but whoever asked for its end.
v1::Owner of_browser_session(const projections::State& state, const v1::Event& event,
                             const std::string& bytes) {
  const auto id = Uuid::from_bytes(bytes);
  const auto* row = id ? state.browser_sessions.find(*id) : nullptr;
  return row == nullptr ? of_actor_alone(event) : of_user(state, row->user);
}

v1::Owner of_scope(const projections::State& state, v1::ScopeKind scope, const std::string& id) {
  if (scope == v1::SCOPE_KIND_DOMAIN) return of_domain(id);
  if (scope == v1::SCOPE_KIND_USER) return of_user(state, id);
  if (scope == v1::SCOPE_KIND_KEYPAIR) return of_key(state, id);
  const auto* row = state.projects.find(id);
  return row == nullptr ? v1::Owner() : of_project(row->def.domain(), row->def.name());
}

// Of a session, or of a kernel of it.
v1::Owner of_session(const projections::State& state, const v1::Event& event) {
  const auto id = session_of(state, event);
  const auto* row = id ? state.sessions.find(*id) : nullptr;
  return row == nullptr ? v1::Owner() : row->owner->owner;
}

// One that was purged has left the state.
v1::Owner of_folder(const projections::State& state, const std::string& bytes) {
  const auto id = Uuid::from_bytes(bytes);
  const auto* row = id ? state.folders.find(FolderId(*id)) : nullptr;
  return row == nullptr ? v1::Owner() : row->owner();
}

// What is removed has left the state: a project or domain is named by the event, a key pair or user is of
// nobody but whoever asked for it.
v1::Owner of_removed(const v1::Event& event) {
  const v1::DefinitionRemoved& removed = event.definition_removed();
  const auto slash = removed.name().find('/');
  if (removed.kind() == v1::DEFINITION_KIND_DOMAIN) return of_domain(removed.name());
  if (removed.kind() == v1::DEFINITION_KIND_PROJECT && slash != std::string::npos)
    return of_project(removed.name().substr(0, slash), removed.name().substr(slash + 1));
  return removed.kind() == v1::DEFINITION_KIND_KEY || removed.kind() == v1::DEFINITION_KIND_USER
             ? of_actor_alone(event)
             : v1::Owner();
}

}  // namespace

v1::Owner subject_of(const projections::State& state, const v1::Event& event) {
  switch (event.body_case()) {
    case v1::Event::kSessionRequested: return event.session_requested().owner();
    case v1::Event::kSessionReasonChanged:
    case v1::Event::kSessionScheduled:
    case v1::Event::kSessionTerminating:
    case v1::Event::kSessionCancelled:
    case v1::Event::kSessionRequeued:
    case v1::Event::kSessionFailed:
    case v1::Event::kSessionRetried:
    case v1::Event::kSessionReserved:
    case v1::Event::kSessionUnreserved:
    case v1::Event::kKernelPreparing:
    case v1::Event::kKernelPulling:
    case v1::Event::kKernelPrepared:
    case v1::Event::kKernelCreating:
    case v1::Event::kKernelRunning:
    case v1::Event::kKernelTerminated:
    case v1::Event::kKernelOpened:
    case v1::Event::kSessionShared: return of_session(state, event);

    case v1::Event::kTerminationBegun:
    case v1::Event::kRequestRefused:
    case v1::Event::kRequestRepeated:
    case v1::Event::kRequestExpired: return of_actor(state, event);

    case v1::Event::kDomainDefined: return of_domain(event.domain_defined().name());
    case v1::Event::kProjectDefined:
      return of_project(event.project_defined().domain(), event.project_defined().name());
    case v1::Event::kUserDefined: return of_user(state, event.user_defined().name());
    case v1::Event::kKeyPairDefined: return of_user(state, event.key_pair_defined().user());
    case v1::Event::kLimitSet: return of_scope(state, event.limit_set().scope(), event.limit_set().id());
    case v1::Event::kLimitRemoved:
      return of_scope(state, event.limit_removed().scope(), event.limit_removed().id());
    case v1::Event::kPasswordSet: return of_user(state, event.password_set().user());
    case v1::Event::kLoginLinkIssued: return of_user(state, event.login_link_issued().user());
    case v1::Event::kLoginLinkEnded: return of_user(state, event.login_link_ended().user());
    case v1::Event::kBrowserSessionStarted: return of_user(state, event.browser_session_started().user());
    case v1::Event::kBrowserSessionUsed:
      return of_browser_session(state, event, event.browser_session_used().id());
    case v1::Event::kBrowserSessionEnded: return of_user(state, event.browser_session_ended().user());
    case v1::Event::kDefinitionRemoved: return of_removed(event);
    case v1::Event::kKeyPairUsed: return of_key(state, event.key_pair_used().id());
    case v1::Event::kFolderCreated: return event.folder_created().owner();
    case v1::Event::kFolderReady: return of_folder(state, event.folder_ready().folder());
    case v1::Event::kFolderFailed: return of_folder(state, event.folder_failed().folder());
    case v1::Event::kFolderRenamed: return of_folder(state, event.folder_renamed().folder());
    case v1::Event::kFolderTrashed: return of_folder(state, event.folder_trashed().folder());
    case v1::Event::kFolderRestored: return of_folder(state, event.folder_restored().folder());
    case v1::Event::kFolderPurging: return of_folder(state, event.folder_purging().folder());
    case v1::Event::kFolderPurged: return of_folder(state, event.folder_purged().folder());
    case v1::Event::kFolderShared: return of_folder(state, event.folder_shared().folder());
    default: return {};  // of the cluster: seen by whoever sees every event
  }
}

}  // namespace berth::controller::api
