#include "projections/rights.h"

#include <algorithm>

namespace berth::projections {
namespace {

constexpr Reach kNone = Reach::kNone;
constexpr Reach kOwn = Reach::kOwn;
constexpr Reach kProject = Reach::kProject;
constexpr Reach kDomain = Reach::kDomain;
constexpr Reach kAll = Reach::kAll;

// Columns: user, project admin, domain admin, monitor, superadmin.
constexpr Right kRights[] = {
    {Noun::kSession, Verb::kSee, kOwn, kProject, kDomain, kAll, kAll},
    {Noun::kSession, Verb::kCreate, kOwn, kOwn, kOwn, kNone, kAll},
    {Noun::kSession, Verb::kChange, kOwn, kOwn, kOwn, kNone, kOwn},  // with whom it is shared
    {Noun::kSession, Verb::kEnd, kOwn, kProject, kDomain, kNone, kAll},
    {Noun::kSessionLog, Verb::kSee, kOwn, kProject, kDomain, kAll, kAll},
    {Noun::kEnvironment, Verb::kSee, kOwn, kOwn, kOwn, kNone, kOwn},
    {Noun::kTerminal, Verb::kAct, kOwn, kOwn, kOwn, kNone, kOwn},
    {Noun::kExec, Verb::kAct, kOwn, kOwn, kOwn, kNone, kOwn},

    {Noun::kAgent, Verb::kSee, kOwn, kProject, kDomain, kAll, kAll},
    {Noun::kAgent, Verb::kCreate, kNone, kNone, kNone, kNone, kAll},
    {Noun::kAgent, Verb::kChange, kNone, kNone, kNone, kNone, kAll},
    {Noun::kAgent, Verb::kEnd, kNone, kNone, kNone, kNone, kAll},

    {Noun::kGroup, Verb::kSee, kOwn, kOwn, kOwn, kAll, kAll},
    {Noun::kGroup, Verb::kCreate, kNone, kNone, kNone, kNone, kAll},
    {Noun::kGroup, Verb::kChange, kNone, kNone, kNone, kNone, kAll},
    {Noun::kGroup, Verb::kEnd, kNone, kNone, kNone, kNone, kAll},
    {Noun::kImage, Verb::kSee, kAll, kAll, kAll, kAll, kAll},
    {Noun::kImage, Verb::kCreate, kNone, kNone, kNone, kNone, kAll},
    {Noun::kImage, Verb::kEnd, kNone, kNone, kNone, kNone, kAll},
    {Noun::kPreset, Verb::kSee, kAll, kAll, kAll, kAll, kAll},
    {Noun::kPreset, Verb::kCreate, kNone, kNone, kNone, kNone, kAll},
    {Noun::kPreset, Verb::kEnd, kNone, kNone, kNone, kNone, kAll},
    {Noun::kSlotType, Verb::kSee, kAll, kAll, kAll, kAll, kAll},
    {Noun::kSlotType, Verb::kCreate, kNone, kNone, kNone, kNone, kAll},
    {Noun::kLimit, Verb::kSee, kOwn, kOwn, kDomain, kAll, kAll},
    {Noun::kLimit, Verb::kChange, kNone, kNone, kDomain, kNone, kAll},

    {Noun::kQuarantine, Verb::kSee, kNone, kNone, kNone, kAll, kAll},
    {Noun::kQuarantine, Verb::kAct, kNone, kNone, kNone, kNone, kAll},
    {Noun::kClock, Verb::kAct, kNone, kNone, kNone, kNone, kAll},
    {Noun::kEvent, Verb::kSee, kOwn, kProject, kDomain, kAll, kAll},
    {Noun::kJournal, Verb::kSee, kNone, kNone, kNone, kAll, kAll},
    {Noun::kJournal, Verb::kAct, kNone, kNone, kNone, kNone, kAll},
    {Noun::kScenario, Verb::kSee, kNone, kNone, kNone, kAll, kAll},
    {Noun::kMetrics, Verb::kSee, kNone, kNone, kNone, kAll, kAll},
    {Noun::kCluster, Verb::kSee, kAll, kAll, kAll, kAll, kAll},
    {Noun::kCluster, Verb::kChange, kNone, kNone, kNone, kNone, kAll},

    {Noun::kDomain, Verb::kSee, kOwn, kOwn, kDomain, kAll, kAll},
    {Noun::kDomain, Verb::kCreate, kNone, kNone, kNone, kNone, kAll},
    {Noun::kDomain, Verb::kChange, kNone, kNone, kNone, kNone, kAll},
    {Noun::kDomain, Verb::kEnd, kNone, kNone, kNone, kNone, kAll},
    {Noun::kProject, Verb::kSee, kOwn, kOwn, kDomain, kAll, kAll},
    {Noun::kProject, Verb::kCreate, kNone, kNone, kDomain, kNone, kAll},
    {Noun::kProject, Verb::kChange, kNone, kProject, kDomain, kNone, kAll},
    {Noun::kProject, Verb::kEnd, kNone, kNone, kDomain, kNone, kAll},
    {Noun::kMembership, Verb::kSee, kNone, kProject, kDomain, kAll, kAll},
    {Noun::kMembership, Verb::kChange, kNone, kProject, kDomain, kNone, kAll},

    {Noun::kUser, Verb::kSee, kOwn, kProject, kDomain, kAll, kAll},
    {Noun::kUser, Verb::kCreate, kNone, kNone, kDomain, kNone, kAll},
    {Noun::kUser, Verb::kChange, kNone, kNone, kDomain, kNone, kAll},
    {Noun::kUser, Verb::kEnd, kNone, kNone, kDomain, kNone, kAll},
    {Noun::kKey, Verb::kSee, kOwn, kOwn, kDomain, kAll, kAll},
    {Noun::kKey, Verb::kCreate, kOwn, kOwn, kDomain, kOwn, kAll},
    {Noun::kKey, Verb::kChange, kOwn, kOwn, kDomain, kOwn, kAll},
    {Noun::kKey, Verb::kEnd, kOwn, kOwn, kDomain, kOwn, kAll},
    {Noun::kPassword, Verb::kChange, kOwn, kOwn, kOwn, kOwn, kOwn},
    {Noun::kLoginLink, Verb::kCreate, kNone, kNone, kDomain, kNone, kAll},
    {Noun::kBrowserSession, Verb::kSee, kOwn, kOwn, kDomain, kAll, kAll},
    {Noun::kBrowserSession, Verb::kCreate, kOwn, kOwn, kOwn, kOwn, kOwn},
    {Noun::kBrowserSession, Verb::kEnd, kOwn, kOwn, kDomain, kOwn, kAll},

    {Noun::kFolder, Verb::kSee, kOwn, kProject, kDomain, kAll, kAll},
    {Noun::kFolder, Verb::kCreate, kOwn, kProject, kOwn, kNone, kOwn},
    {Noun::kFolder, Verb::kChange, kOwn, kProject, kOwn, kNone, kOwn},
    {Noun::kFolder, Verb::kEnd, kOwn, kProject, kDomain, kNone, kAll},
    {Noun::kFile, Verb::kSee, kOwn, kOwn, kOwn, kNone, kOwn},
    {Noun::kFile, Verb::kChange, kOwn, kOwn, kOwn, kNone, kOwn},
    {Noun::kVolume, Verb::kSee, kAll, kAll, kAll, kAll, kAll},
    {Noun::kVolume, Verb::kEnd, kNone, kNone, kNone, kNone, kAll},

    {Noun::kProducer, Verb::kSee, kNone, kNone, kNone, kAll, kAll},
    {Noun::kProducer, Verb::kCreate, kNone, kNone, kNone, kNone, kAll},
    {Noun::kProducer, Verb::kChange, kNone, kNone, kNone, kNone, kAll},
    {Noun::kProducer, Verb::kEnd, kNone, kNone, kNone, kNone, kAll},
};

constexpr std::string_view kNouns[] = {
    "session",    "session-log",     "environment", "terminal",  "exec",    "agent",
    "group",      "image",           "preset",      "slot-type", "limit",   "quarantine",
    "clock",      "event",           "journal",     "scenario",  "metrics", "cluster",
    "domain",     "project",         "membership",  "user",      "key",     "password",
    "login-link", "browser-session", "folder",      "file",      "volume",  "producer"};
constexpr std::string_view kVerbs[] = {"see", "create", "change", "end", "act"};
constexpr std::string_view kReaches[] = {"none", "own", "project", "domain", "all"};

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Reach column(const Right& right, const Actor& actor) {
  if (actor.role == v1::ROLE_SUPERADMIN) return right.superadmin;
  if (actor.role == v1::ROLE_MONITOR) return right.monitor;
  if (actor.role == v1::ROLE_DOMAIN_ADMIN) return right.domain_admin;
  return actor.admin_of.empty() ? right.user : right.project_admin;
}

bool is_own(const Actor& actor, const v1::Owner& subject) {
  if (!subject.user().empty()) return subject.user() == actor.user;
  if (subject.domain().empty() || subject.domain() != actor.domain) return false;
  return subject.project().empty() || has(actor.projects, subject.project());
}

}  // namespace

std::span<const Right> rights() { return kRights; }

Actor actor_of(const v1::UserDefined& user) {
  return {user.name(),
          user.role(),
          user.domain(),
          {user.projects().begin(), user.projects().end()},
          {user.admin_of().begin(), user.admin_of().end()}};
}

Reach reach(const Actor& actor, Noun noun, Verb verb) {
  for (const Right& right : kRights)
    if (right.noun == noun && right.verb == verb) return column(right, actor);
  return kNone;
}

bool may(const Actor& actor, Noun noun, Verb verb, const v1::Owner& subject) {
  const Reach far = reach(actor, noun, verb);
  if (far == kNone || far == kAll) return far == kAll;
  if (far == kOwn) return is_own(actor, subject);
  if (!subject.user().empty() && subject.user() == actor.user) return true;
  if (subject.domain().empty() || subject.domain() != actor.domain) return false;
  return far == kDomain || has(actor.admin_of, subject.project());
}

bool may(const Actor& actor, Noun noun, Verb verb, const v1::UserDefined& subject) {
  v1::Owner owner;
  owner.set_domain(subject.domain());
  owner.set_user(subject.name());
  if (may(actor, noun, verb, owner)) return true;
  return std::any_of(subject.projects().begin(), subject.projects().end(), [&](const std::string& project) {
    owner.set_project(project);
    return may(actor, noun, verb, owner);
  });
}

bool may_manage_role(const Actor& actor, v1::Role role) {
  if (actor.role == v1::ROLE_SUPERADMIN) return true;
  return actor.role == v1::ROLE_DOMAIN_ADMIN && role != v1::ROLE_SUPERADMIN && role != v1::ROLE_MONITOR;
}

std::string_view name_of(Noun noun) { return kNouns[static_cast<std::size_t>(noun)]; }
std::string_view name_of(Verb verb) { return kVerbs[static_cast<std::size_t>(verb)]; }
std::string_view name_of(Reach reach) { return kReaches[static_cast<std::size_t>(reach)]; }

std::string rights_text() {
  std::string out = "| noun | verb | user | project admin | domain admin | monitor | superadmin |\n";
  out += "|---|---|---|---|---|---|---|\n";
  for (const Right& right : kRights) {
    out += "| " + std::string(name_of(right.noun)) + " | " + std::string(name_of(right.verb));
    for (const Reach far :
         {right.user, right.project_admin, right.domain_admin, right.monitor, right.superadmin})
      out += " | " + std::string(far == kNone ? "-" : name_of(far));
    out += " |\n";
  }
  return out;
}

}  // namespace berth::projections
