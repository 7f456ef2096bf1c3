// Rights: who may do what to which nouns, as one table of role x noun x verb. The API, the decisions and the
// documents ask this table and nothing else. Pure.
//
// An actor's reach says how far a right goes: own things, those of the projects that the actor administers,
// those of the actor's domain, all. A wider reach includes what the actor's user owns. Of nouns without an
// owner, `own` is the part that concerns the actor: groups open to them, limits that bind them, projects that
// they are in, their kernels on an agent.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/schema/v1/event.pb.h"

namespace berth::projections {

enum class Noun : std::uint8_t {
  kSession,
  kSessionLog,
  kEnvironment,  // the values of a session's environment, opened
  kTerminal,     // of a session's kernels: shells and apps
  kExec,         // programs run in a session's kernels, files copied
  kAgent,        // the reach is whose kernels and sessions are named; totals and free are for everybody
  kGroup,
  kImage,
  kPreset,
  kSlotType,
  kLimit,  // of a project, user or key pair; a domain's own is changed by who may change domains
  kQuarantine,
  kClock,
  kEvent,
  kJournal,
  kScenario,
  kMetrics,
  kCluster,
  kDomain,
  kProject,
  kMembership,  // its subject is the project
  kUser,
  kKey,
  kPassword,
  kLoginLink,
  kBrowserSession,
  kFolder,  // what it is, its name, its shares
  kFile,    // what lies in it; whom a folder is shared with is access_of()'s (projections/folder_access.h)
  kVolume,
  kProducer,
};

enum class Verb : std::uint8_t { kSee, kCreate, kChange, kEnd, kAct };

enum class Reach : std::uint8_t { kNone, kOwn, kProject, kDomain, kAll };

// One row of the table. What no row names, nobody may.
struct Right {
  Noun noun;
  Verb verb;
  Reach user;
  Reach project_admin;
  Reach domain_admin;
  Reach monitor;
  Reach superadmin;
};
std::span<const Right> rights();

inline constexpr int kProjectsOfUserMax = 256;

// Who asks, as the state says it.
struct SharedToday;
struct Actor {
  std::string user;
  v1::Role role = v1::ROLE_UNSPECIFIED;
  std::string domain;
  std::vector<std::string> projects;  // of the domain, without its name
  std::vector<std::string> admin_of;  // those of `projects` that the actor administers
  // Of an actor who looks at the past (shared_today.h); null: shares count as they stand.
  std::shared_ptr<const SharedToday> shared_today = nullptr;
};
Actor actor_of(const v1::UserDefined& user);

// kNone where no row names noun and verb.
Reach reach(const Actor& actor, Noun noun, Verb verb);

// Whether the actor's reach includes the subject: a user's thing {domain, project, user}, a project {domain,
// project}, or a domain {domain}. A subject without any of these is nobody's.
bool may(const Actor& actor, Noun noun, Verb verb, const v1::Owner& subject);
// The same of a user, who may be in several projects.
bool may(const Actor& actor, Noun noun, Verb verb, const v1::UserDefined& subject);

// Whether the actor's role is enough to grant `role`, or to change whoever has it.
bool may_manage_role(const Actor& actor, v1::Role role);

// "session", "browser-session"; "see"; "project".
std::string_view name_of(Noun noun);
std::string_view name_of(Verb verb);
std::string_view name_of(Reach reach);

// The table in Markdown, for the documents.
std::string rights_text();

}  // namespace berth::projections
