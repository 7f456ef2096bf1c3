// The rows of a batch, copied from the state. Callers hold the state's lock.
#pragma once

#include "controller/api/identity/identity_json.h"
#include "controller/api/live/watched_row.h"

namespace berth::controller::api {

// How somebody is signed in by a browser.
struct SignedIn {
  std::string user;
  Timestamp ends = 0;  // wall time, if nobody uses it before
};

// Whom rows concern that may be gone when they are told.
struct RowOwners {
  std::map<std::string, std::string> domain_of_user;
  std::map<std::string, std::string> user_of_key;
  std::map<std::string, Audience> of_group;
  std::map<std::string, SignedIn>
      sign_ins;  // by id, of browser sessions that are not over, while they are kept

  explicit RowOwners(const projections::State& state);
  RowOwners() = default;
  Audience of_user(const std::string& user) const;
  // By its key, "project/D/P".
  Audience of_limit(const std::string& key) const;
};

// Nothing where the session left the state: it was told before, for it had ended long ago.
// `withdrawn`: the shares that it has had until now.
void add_session(RowBatch& batch, const projections::State& state, const SessionId& id,
                 const std::vector<projections::SessionShare>& withdrawn);
// `before`: who saw the row until now, if that may be others than now.
void add_row(RowBatch& batch, const projections::State& state, const RowOwners& owners, Members& members,
             const RowKey& key, const Audience& before);

// Of a group: whom it is open to.
Audience audience_of(const v1::ResourceGroupDefined& group);
// Of a user: its own domain and projects.
Audience audience_of(const v1::UserDefined& user);
Audience audience_of_user(const std::string& domain, const std::string& user);
Audience audience_of_project(const std::string& domain, const std::string& project);

}  // namespace berth::controller::api
