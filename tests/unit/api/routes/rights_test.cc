// The role walk: every route for every role, against what is own, of the same project, of another project and
// of another domain. What is not the caller's is 404, with the code of what does not exist.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "projections/folder_access.h"
#include "projections/rights.h"
#include "tests/support/limits.h"
#include "tests/support/words.h"
#include "tests/unit/api/support/some_folders.h"
#include "tests/unit/api/support/stream_client.h"

namespace berth::testing {
namespace {

using projections::Actor;
using projections::Noun;
using projections::Reach;
using projections::Verb;

struct Person {
  const char* name;
  const char* domain;
  const char* project;
  const char* role;
  bool administers;
};

// alice asks as a user; what is bob's is of her project, carol's of another, eve's of another domain.
constexpr Person kPeople[] = {
    {"alice", "default", "default", "user", false},     {"bob", "default", "default", "user", false},
    {"carol", "default", "other", "user", false},       {"eve", "d2", "p", "user", false},
    {"pat", "default", "default", "user", true},        {"dave", "default", "default", "domain-admin", false},
    {"dora", "d2", "p", "domain-admin", false},         {"monty", "default", "default", "monitor", false},
    {"root", "default", "default", "superadmin", false}};
constexpr const char* kOwners[] = {"alice", "bob", "carol", "eve"};

v1::UserDefined definition(const Person& person) {
  v1::UserDefined user;
  user.set_name(person.name);
  user.set_domain(person.domain);
  user.add_projects(person.project);
  user.set_role(value_of<v1::Role>(person.role));
  if (person.administers) user.add_admin_of(person.project);
  return user;
}

Actor actor(const Person& person) { return projections::actor_of(definition(person)); }

const Person& person(std::string_view name) {
  for (const Person& one : kPeople)
    if (one.name == name) return one;
  return kPeople[0];
}

v1::Owner thing_of(const std::string& name) {
  v1::Owner owner;
  owner.set_domain(person(name).domain);
  owner.set_project(person(name).project);
  owner.set_user(name);
  return owner;
}

std::string key_of(const std::string& user) {
  return user == "alice" || user == "bob" ? user + "-key" : "K" + user;
}

Events world() {
  Events out = small_cluster() + Events{project_defined("default", "other"), domain_defined("d2"),
                                        project_defined("d2", "p"), preset_defined("small", "cpu", kUnit)};
  for (const Person& one : kPeople) {
    v1::Event e;
    *e.mutable_user_defined() = definition(one);
    out.push_back(e);
    if (key_of(one.name).starts_with("K"))
      out.push_back(with_secret(key_pair_defined(key_of(one.name), one.name), secret_of(key_of(one.name))));
  }
  for (const char* owner : kOwners) {
    v1::Event e = session_requested("s-" + std::string(owner), Spec(), owner);
    *e.mutable_session_requested()->mutable_owner() = thing_of(owner);
    out.push_back(e);
    out.push_back(Limit("user", owner).sessions(100));
  }
  out.push_back(Limit("domain", "default").sessions(1000));
  out.push_back(Limit("domain", "d2").sessions(1000));
  return out;
}

class RoleWalk : public ::testing::Test {
 protected:
  std::string code(const Person& asks, const std::string& method, const std::string& target,
                   const std::string& body = "") {
    const auto reply = rig.ask({.method = method, .target = target, .body = body, .key = key_of(asks.name)});
    return reply.status < 300 ? std::to_string(reply.status) : ApiRig::code_of(reply);
  }
  std::set<std::string> listed(const Person& asks, const std::string& target, const std::string& list,
                               const std::string& member) {
    const auto reply = rig.ask({.target = target, .key = key_of(asks.name)});
    EXPECT_EQ(reply.status, 200u) << asks.name << " " << target << " " << reply.body;
    std::set<std::string> out;
    if (reply.status != 200) return out;
    const auto items = ApiRig::json_of(reply);
    for (const auto& item : items.at(list).as_array()) out.insert(std::string(item.at(member).as_string()));
    return out;
  }
  ApiRig rig{world()};
};

std::string filled(const char* pattern) {
  std::string out = pattern;
  for (std::size_t at = out.find('{'); at != std::string::npos; at = out.find('{'))
    out.replace(at, out.find('}') - at + 1, "x");
  return out;
}

TEST_F(RoleWalk, WhoeverHasNoReachInARoutesRightIsDenied) {
  const auto& routes = rig.api.route_table().routes();
  int denied = 0;
  for (const api::Route& route : routes)
    for (const Person& asks : kPeople) {
      const auto& need = route.askers.need;
      if (!need || reach(actor(asks), need->noun, need->verb) != Reach::kNone) continue;
      EXPECT_EQ(code(asks, route.method, filled(route.pattern)), "denied")
          << asks.name << " " << route.operation;
      ++denied;
    }
  EXPECT_GT(denied, 100);
}

TEST_F(RoleWalk, ASessionIsFoundByThoseWhoMaySeeIt) {
  for (const Person& asks : kPeople)
    for (const char* owner : kOwners) {
      SCOPED_TRACE(std::string(asks.name) + " asks for the session of " + owner);
      const bool seen = may(actor(asks), Noun::kSession, Verb::kSee, thing_of(owner));
      const std::string path = "/v1/sessions/" + to_string(session_id("s-" + std::string(owner)));
      EXPECT_EQ(code(asks, "GET", path), seen ? "200" : "unknown-session");
      EXPECT_EQ(code(asks, "GET", path + "/why"), seen ? "200" : "unknown-session");
      EXPECT_EQ(code(asks, "GET", path + "/logs"), seen ? "unknown-kernel" : "unknown-session");
      EXPECT_EQ(code(asks, "GET", "/v1/events?session=" + to_string(session_id("s-" + std::string(owner)))),
                seen ? "200" : "unknown-session");
    }
}

TEST_F(RoleWalk, ASessionIsEndedByThoseWhoMayEndIt) {
  for (const Person& asks : kPeople)
    for (const char* owner : kOwners) {
      SCOPED_TRACE(std::string(asks.name) + " ends the session of " + owner);
      const std::string name = std::string("of-") + owner + "-for-" + asks.name;
      v1::Event e = session_requested(name, Spec(), owner);
      *e.mutable_session_requested()->mutable_owner() = thing_of(owner);
      rig.cell.append({e});
      const bool seen = may(actor(asks), Noun::kSession, Verb::kSee, thing_of(owner));
      const bool ended = may(actor(asks), Noun::kSession, Verb::kEnd, thing_of(owner));
      EXPECT_EQ(code(asks, "DELETE", "/v1/sessions/" + to_string(session_id(name))),
                ended ? "200" : (seen ? "denied" : "unknown-session"));
    }
}

// A superadmin sees every session, and enters none but their own.
TEST_F(RoleWalk, AKernelIsEnteredByTheOwnerOfItsSession) {
  for (const Person& asks : kPeople)
    for (const char* owner : kOwners) {
      const std::string session = to_string(session_id("s-" + std::string(owner)));
      const bool seen = may(actor(asks), Noun::kSession, Verb::kSee, thing_of(owner));
      for (const char* what : {"exec", "shell", "copy", "shells", "apps/lab/start", "apps/8888/connect"}) {
        SCOPED_TRACE(std::string(asks.name) + ": " + what + " in the session of " + owner);
        const bool of_exec = std::string(what) == "exec" || std::string(what) == "copy";
        const Noun noun = of_exec ? Noun::kExec : Noun::kTerminal;
        const bool acts = may(actor(asks), noun, Verb::kAct, thing_of(owner));
        EXPECT_EQ(acts, asks.name == std::string(owner) && asks.role != std::string("monitor"));
        const auto reply = rig.send(stream_request(rig, what, session, key_of(asks.name)));
        // It is asked for, and not placed yet.
        EXPECT_EQ(ApiRig::code_of(reply), acts ? "session-not-running" : seen ? "denied" : "unknown-session");
      }
      const bool acts = may(actor(asks), Noun::kTerminal, Verb::kAct, thing_of(owner));
      const std::string refused = seen ? "denied" : "unknown-session";
      // What ends with a session is told to whoever may end it.
      const bool ends = may(actor(asks), Noun::kSession, Verb::kEnd, thing_of(owner));
      EXPECT_EQ(code(asks, "GET", "/v1/sessions/" + session + "/losses"), ends ? "200" : refused)
          << asks.name << " " << owner;
      const std::string apps = "/v1/sessions/" + session + "/apps";
      EXPECT_EQ(code(asks, "GET", apps), acts ? "200" : refused) << asks.name << " " << owner;
      EXPECT_EQ(code(asks, "DELETE", apps + "/lab"), acts ? "session-not-running" : refused)
          << asks.name << " " << owner;
    }
}

// A share makes a session as one's own to enter, for every role that enters any, and no more than that.
TEST_F(RoleWalk, ASharedSessionIsEnteredByWhomItIsSharedWith) {
  const std::string session = to_string(session_id("s-alice")), path = "/v1/sessions/" + session;
  for (const Person& with : kPeople) {
    if (with.name == std::string("alice")) continue;
    rig.cell.append({session_shared("s-alice", "user", with.name)});
    for (const Person& asks : kPeople) {
      SCOPED_TRACE(std::string(asks.name) + " where it is shared with " + with.name);
      const bool owns = asks.name == std::string("alice"), shared = asks.name == std::string(with.name);
      const bool seen = shared || may(actor(asks), Noun::kSession, Verb::kSee, thing_of("alice"));
      const bool acts = owns || (shared && asks.role != std::string("monitor"));
      const std::string refused = seen ? "denied" : "unknown-session";
      for (const char* what : {"exec", "shell", "copy", "shells", "apps/lab/start", "apps/8888/connect"}) {
        const auto reply = rig.send(stream_request(rig, what, session, key_of(asks.name)));
        EXPECT_EQ(ApiRig::code_of(reply), acts ? "session-not-running" : refused) << what;
      }
      EXPECT_EQ(code(asks, "GET", path), seen ? "200" : "unknown-session");
      EXPECT_EQ(code(asks, "GET", path + "/apps"), acts ? "200" : refused);
      const bool reaches = reach(actor(asks), Noun::kSession, Verb::kChange) != Reach::kNone;
      const std::string changes = owns ? "unknown-user" : reaches ? refused : "denied";
      EXPECT_EQ(code(asks, "PUT", path + "/shares", R"({"user": "nobody"})"), changes);
      if (!owns && !may(actor(asks), Noun::kSession, Verb::kEnd, thing_of("alice"))) {
        EXPECT_EQ(code(asks, "DELETE", path), refused);
      }
    }
    rig.cell.append({session_shared("s-alice", "user", with.name, true)});
  }
}

// A folder is shown to those whose right reaches its owner; its files to nobody by a role.
TEST_F(RoleWalk, AFolderIsFoundByItsRightAndItsFilesByAccessAlone) {
  rig.cell.append(agent_with_volumes("v1", {"local"}));
  std::vector<std::string> folders;
  const auto add = [&](const std::string& name, const std::string& user, const std::string& project,
                       const std::string& domain) {
    rig.cell.append({folder_of("f-" + name, name, user, project, domain)});
    rig.cell.append({folder_is_ready("f-" + name)});
    folders.push_back(name);
  };
  for (const char* owner : kOwners) add(std::string("of-") + owner, owner, "", person(owner).domain);
  add("of-default", "", "default", "default");
  add("of-other", "", "other", "default");
  add("of-p", "", "p", "d2");
  for (const Person& asks : kPeople) {
    std::set<std::string> seen;
    for (const std::string& name : folders) {
      SCOPED_TRACE(std::string(asks.name) + " asks for folder " + name);
      projections::FolderRow row;
      rig.cell.with_state([&](const controller::StateView& view) {
        row = *view.state.folders.find(FolderId(id_of("f-" + name)));
      });
      const auto access = access_of(actor(asks), row);
      const bool shown = access != projections::FolderAccess::kNone ||
                         may(actor(asks), Noun::kFolder, Verb::kSee, row.owner());
      if (shown) seen.insert(name);
      const std::string path = "/v1/folders/" + hex_id("f-" + name);
      EXPECT_EQ(code(asks, "GET", path), shown ? "200" : "unknown-folder");
      const bool reads = reach(actor(asks), Noun::kFile, Verb::kSee) != Reach::kNone;
      const std::string files = !reads                                       ? "denied"
                                : !shown                                     ? "unknown-folder"
                                : access == projections::FolderAccess::kNone ? "folder-not-accessible"
                                                                             : "200";
      EXPECT_EQ(code(asks, "GET", path + "/files"), files);
      const std::string change = R"({"op": "mkdir", "path": "a"})";
      EXPECT_EQ(code(asks, "POST", path + "/files", change), files);
      EXPECT_EQ(code(asks, "PUT", path + "/uploads/" + hex_id("u") + "?offset=0", "x"), files);
      if (!shown && reads) {
        EXPECT_EQ(code(asks, "POST", path + "/trash"), "unknown-folder");
        EXPECT_EQ(code(asks, "PATCH", path, R"({"name": "x"})"), "unknown-folder");
      }
    }
    EXPECT_EQ(listed(asks, "/v1/folders", "items", "name"), seen) << asks.name;
  }
}

TEST_F(RoleWalk, AListHasWhatTheCallerMaySee) {
  for (const Person& asks : kPeople) {
    SCOPED_TRACE(asks.name);
    const Actor who = actor(asks);
    std::set<std::string> sessions, limits, users;
    for (const char* owner : kOwners) {
      if (may(who, Noun::kSession, Verb::kSee, thing_of(owner))) sessions.insert("s-" + std::string(owner));
      v1::Owner of_user = thing_of(owner);
      of_user.clear_project();
      if (may(who, Noun::kLimit, Verb::kSee, of_user)) limits.insert(owner);
    }
    for (const char* domain : {"default", "d2"}) {
      v1::Owner subject;
      subject.set_domain(domain);
      if (may(who, Noun::kLimit, Verb::kSee, subject)) limits.insert(domain);
    }
    for (const Person& one : kPeople)
      if (may(who, Noun::kUser, Verb::kSee, definition(one))) users.insert(one.name);
    if (reach(who, Noun::kUser, Verb::kSee) >= Reach::kDomain && std::string(asks.domain) == "default")
      users.insert("admin");
    if (asks.administers) users.insert("admin");  // who is in the project, too
    EXPECT_EQ(listed(asks, "/v1/sessions", "sessions", "name"), sessions);
    EXPECT_EQ(listed(asks, "/v1/limits", "limits", "id"), limits);
    EXPECT_EQ(listed(asks, "/v1/users", "users", "name"), users);
  }
}

TEST_F(RoleWalk, AListOfAUsersSessionsHasThoseOfThatUserThatTheCallerMaySee) {
  for (const Person& asks : kPeople)
    for (const char* owner : kOwners) {
      const bool sees = may(actor(asks), Noun::kSession, Verb::kSee, thing_of(owner));
      EXPECT_EQ(listed(asks, "/v1/sessions?user=" + std::string(owner), "sessions", "name"),
                sees ? std::set<std::string>{"s-" + std::string(owner)} : std::set<std::string>())
          << asks.name << " asks for " << owner;
    }
}

TEST_F(RoleWalk, AUserIsFoundByThoseWhoMaySeeThem) {
  for (const Person& asks : kPeople)
    for (const Person& one : kPeople) {
      SCOPED_TRACE(std::string(asks.name) + " asks for " + one.name);
      const bool seen = may(actor(asks), Noun::kUser, Verb::kSee, definition(one));
      EXPECT_EQ(code(asks, "GET", "/v1/users/" + std::string(one.name)), seen ? "200" : "unknown-user");
      EXPECT_EQ(code(asks, "GET", "/v1/resource?user=" + std::string(one.name)),
                seen ? "200" : "unknown-user");
      const bool keys = may(actor(asks), Noun::kKey, Verb::kSee, definition(one));
      EXPECT_EQ(code(asks, "GET", "/v1/keys?user=" + std::string(one.name)),
                keys ? "200" : (seen ? "denied" : "unknown-user"));
    }
}

TEST_F(RoleWalk, AProjectIsFoundByItsMembersAndAdmins) {
  for (const Person& asks : kPeople)
    for (const auto& [domain, project] :
         {std::pair{"default", "default"}, {"default", "other"}, {"d2", "p"}}) {
      SCOPED_TRACE(std::string(asks.name) + " asks for " + domain + "/" + project);
      v1::Owner subject;
      subject.set_domain(domain);
      subject.set_project(project);
      const bool seen = may(actor(asks), Noun::kProject, Verb::kSee, subject);
      const std::string path = "/v1/projects/" + std::string(domain) + "/" + project;
      EXPECT_EQ(code(asks, "GET", path), seen ? "200" : "unknown-project");
      if (!seen) continue;
      const auto shown = ApiRig::json_of(rig.ask({.target = path, .key = key_of(asks.name)}));
      EXPECT_EQ(!shown.at("members").is_null(), may(actor(asks), Noun::kMembership, Verb::kSee, subject));
    }
}

TEST_F(RoleWalk, EventsAreThoseOfWhatTheCallerMaySee) {
  for (const Person& asks : kPeople) {
    const auto reply = rig.ask({.target = "/v1/events?type=SessionRequested", .key = key_of(asks.name)});
    ASSERT_EQ(reply.status, 200u) << reply.body;
    std::size_t expected = 0;
    for (const char* owner : kOwners)
      expected += may(actor(asks), Noun::kEvent, Verb::kSee, thing_of(owner)) ? 1 : 0;
    EXPECT_EQ(ApiRig::json_of(reply).at("events").as_array().size(), expected) << asks.name;
  }
}

TEST_F(RoleWalk, AGroupNamesTheWeightsOfTheCallerAlone) {
  v1::Event group = group_defined("default");
  for (const auto& [scope, id] : {std::pair{"domain", "default"},
                                  {"domain", "d2"},
                                  {"project", "default/default"},
                                  {"project", "d2/p"},
                                  {"user", "alice"},
                                  {"user", "eve"}}) {
    auto* weight = group.mutable_resource_group_defined()->mutable_fair_share()->add_weights();
    weight->set_scope(value_of<v1::ScopeKind>(scope));
    weight->set_id(id);
    weight->set_weight(kUnit);
  }
  rig.cell.append({group});
  const auto weights = [&](const char* name) {
    const auto reply = ApiRig::json_of(rig.ask({.target = "/v1/groups", .key = key_of(name)}));
    std::set<std::string> whose;
    for (const auto& entry : reply.at("groups").at(0).at("fair_share").at("weights").as_object())
      whose.insert(std::string(entry.key()));
    return whose;
  };
  EXPECT_EQ(weights("alice"),
            (std::set<std::string>{"domain:default", "project:default/default", "user:alice"}));
  EXPECT_EQ(weights("dora"), (std::set<std::string>{"domain:d2", "project:d2/p"}));
  EXPECT_EQ(weights("monty").size(), 6u);
  EXPECT_EQ(weights("root").size(), 6u);
}

TEST_F(RoleWalk, AGroupThatIsNotOpenIsUnknownAndItsAgentsToo) {
  v1::Event closed = group_defined("default");
  auto* to = closed.mutable_resource_group_defined()->add_open_to();
  to->set_scope(v1::SCOPE_KIND_PROJECT);
  to->set_id("default/other");
  rig.cell.append({closed});
  const Person& alice = person("alice");
  const Person& carol = person("carol");
  EXPECT_EQ(listed(alice, "/v1/groups", "groups", "name").size(), 0u);
  EXPECT_EQ(listed(alice, "/v1/agents", "agents", "name").size(), 0u);
  EXPECT_EQ(code(alice, "GET", "/v1/agents/a1"), "unknown-agent");
  for (const char* target : {"/v1/agents?group=default", "/v1/sessions?group=default", "/v1/resource",
                             "/v1/resource/check-presets", "/v1/fair-share"})
    EXPECT_EQ(code(alice, "GET", target), "unknown-group") << target;
  EXPECT_EQ(listed(carol, "/v1/groups", "groups", "name").size(), 1u);
  EXPECT_EQ(listed(carol, "/v1/agents", "agents", "name").size(), 1u);
  EXPECT_EQ(listed(person("monty"), "/v1/groups", "groups", "name").size(), 1u);
  // A session that names such an agent is refused as one that names an agent which does not exist.
  rig.cell.append({group_defined("open")});
  const auto refusal = [&](const std::string& agent) {
    const auto reply = rig.ask({.method = "POST",
                                .target = "/v1/sessions",
                                .body = R"({"group": "open", "designated": {"agents": [")" + agent +
                                        R"("]}, "resources": {"cpu": "1", "mem": "1g"}})",
                                .key = key_of("alice")});
    auto problem = ApiRig::json_of(reply);
    std::string text = boost::json::serialize(problem.at("code")) +
                       boost::json::serialize(problem.at("detail")) +
                       boost::json::serialize(problem.as_object()["hint"]);
    if (const auto at = text.find(agent); at != std::string::npos) text.replace(at, agent.size(), "AGENT");
    return text;
  };
  EXPECT_EQ(refusal("a1"), refusal("nowhere"));
  EXPECT_NE(refusal("a1").find("unknown-agent"), std::string::npos) << refusal("a1");
}

// For which session another one was preempted: event and row tell it to who may see both.
TEST_F(RoleWalk, AnEventAndARowNameThePreemptorToWhoMaySeeThatOne) {
  rig.cell.append({session_scheduled("s-bob", {{"a1", {}}})});
  rig.cell.append({session_preempted("s-bob", "s-carol")});
  const std::string id = to_string(session_id("s-carol")), victim = to_string(session_id("s-bob"));
  for (const auto& [name, sees] :
       {std::pair{"bob", false}, {"pat", false}, {"dave", true}, {"monty", true}, {"root", true}}) {
    SCOPED_TRACE(name);
    const auto body = [&, key = key_of(name)](const std::string& target) {
      return rig.ask({.target = target, .key = key}).body;
    };
    for (const std::string& target : {"/v1/sessions/" + victim, std::string("/v1/sessions?user=bob")}) {
      EXPECT_NE(body(target).find(R"("preempted_for":)" + (sees ? '"' + id + '"' : "null")),
                std::string::npos);
      EXPECT_EQ(body(target).find(id) != std::string::npos, sees) << target;
    }
    const std::string events = body("/v1/events?type=SessionTerminating&session=" + victim);
    const std::string whose = sees ? "preempted for s-carol" : "preempted for another's session";
    EXPECT_NE(events.find("SessionTerminating s-bob: " + whose), std::string::npos) << events;
    EXPECT_EQ(events.find(id) != std::string::npos, sees) << events;
    EXPECT_EQ(events.find("s-carol") != std::string::npos, sees) << events;
  }
}

// A refusal says what it is about, which may be of any domain where a superadmin asked.
TEST_F(RoleWalk, ARefusalOfWhoReachesFurtherIsNoMatterOfADomainAdmin) {
  EXPECT_EQ(code(person("root"), "DELETE", "/v1/domains/d2"), "in-use");
  EXPECT_EQ(code(person("alice"), "DELETE", "/v1/keys/nobodys"), "unknown-key-pair");
  const auto seen = [&](const char* name) {
    return listed(person(name), "/v1/events?type=RequestRefused", "events", "actor");
  };
  const std::string root = "user:root", alice = "user:alice";
  EXPECT_EQ(seen("root"), (std::set<std::string>{root, alice}));
  EXPECT_EQ(seen("monty"), (std::set<std::string>{root, alice}));
  EXPECT_EQ(seen("dave"), (std::set<std::string>{alice}));
  EXPECT_EQ(seen("alice"), (std::set<std::string>{alice}));
  EXPECT_EQ(seen("dora"), (std::set<std::string>{}));
}

TEST_F(RoleWalk, AnOpeningIsToldToWhoSeesTheSession) {
  rig.cell.append({session_scheduled("s-bob", {{"a1", {}}})});
  rig.cell.append({kernel_running(kernel_name("s-bob"))});
  rig.cell.append({kernel_opened("s-bob", "shell", "main", "bob")});
  for (const Person& asks : kPeople) {
    const bool seen = may(actor(asks), Noun::kSession, Verb::kSee, thing_of("bob"));
    EXPECT_EQ(listed(asks, "/v1/events?type=KernelOpened", "events", "text").size(), seen ? 1u : 0u)
        << asks.name;
  }
}

// What the event itself names, or whoever asked for it: the thing has left the state.
TEST_F(RoleWalk, TheEndOfWhatIsOnesOwnIsToldToThem) {
  const auto by = [](v1::Event event, const std::string& user) {
    event.set_actor("user:" + user);
    return event;
  };
  rig.cell.append({browser_session_started("b1", "alice"), key_pair_defined("alice-key-2", "alice")});
  rig.cell.append({by(browser_session_ended("b1"), "alice")});
  rig.cell.append({by(definition_removed("key", "alice-key-2"), "alice")});
  const auto seen = [&](const char* name, const std::string& type) {
    const auto reply = rig.ask({.target = "/v1/events?type=" + type, .key = key_of(name)});
    return ApiRig::json_of(reply).at("events").as_array().size();
  };
  for (const auto& [name, count] : {std::pair{"alice", 1u}, {"bob", 0u}, {"eve", 0u}, {"root", 1u}}) {
    EXPECT_EQ(seen(name, "BrowserSessionEnded"), count) << name;
    EXPECT_EQ(seen(name, "DefinitionRemoved"), count) << name;
  }
  for (const auto& [name, count] : {std::pair{"dave", 1u}, {"dora", 0u}, {"pat", 0u}})
    EXPECT_EQ(seen(name, "BrowserSessionEnded"), count) << name << ": the event names its user";
  v1::Event without_carol;
  *without_carol.mutable_user_defined() = definition(person("carol"));
  without_carol.mutable_user_defined()->clear_projects();
  rig.cell.append({session_cancelled("s-carol")});
  rig.cell.append({without_carol});
  rig.cell.append({definition_removed("project", "default/other")});
  EXPECT_EQ(seen("dave", "DefinitionRemoved"), 1u) << "an administrator of the project's domain";
  EXPECT_EQ(seen("dora", "DefinitionRemoved"), 0u) << "of another domain";
}

}  // namespace
}  // namespace berth::testing
