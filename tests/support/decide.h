// Given / when / then over events, for decisions:
//
//   given(world()).when(request_session("s1")).then({session_requested("s1")});
//   given(world()).when(fence_agent("a9")).then_refused("unknown-agent");
//
// when() decides about a request, a report or a cause, and folds what was decided: it must come through the
// fold's net. then() compares every field but these, which count only where the expected event states them:
// the stamp (actor, request, trace), the cause, the hash of the request's body, of a spec shm and mode, and
// when a session that went back to the queue is tried again.
//
// Requests have the names of the commands; a name stands for an id (ids.h).
#pragma once

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>

#include "controller/decide/decide.h"
#include "events/codec/describe.h"
#include "tests/support/given.h"
#include "tests/support/limits.h"
#include "tests/support/words.h"

namespace berth::testing::decisions {

// The definitions, user bob beside alice, and one agent, "a1".
inline Events world() { return definitions() + Events{user_defined("bob")} + agent("a1"); }
// The same with somebody of each role. Domain default: alice, bob, domain admin dave, project admin pat,
// monitor monty, superadmin root. Domain d2: domain admin dora.
inline Events world_of_all_roles() {
  Events out = world() + Events{domain_defined("d2"),
                                project_defined("d2", "p"),
                                user_with_role("root", "superadmin"),
                                user_with_role("dave", "domain-admin"),
                                user_with_role("monty", "monitor"),
                                user_defined("pat"),
                                user_with_role("dora", "domain-admin")};
  for (v1::Event& e : out) {
    if (e.user_defined().name() == "pat") e.mutable_user_defined()->add_admin_of("default");
    if (e.user_defined().name() == "dora") {
      e.mutable_user_defined()->set_domain("d2");
      e.mutable_user_defined()->set_projects(0, "p");
    }
  }
  return out;
}

// A decision that no input asks for: of the passing of time, or of a scheduling pass.
using Cause = std::function<controller::EventList(const controller::DecisionContext&)>;

// Where a test states something, for the line of its failure.
struct Line {
  const char* file;
  int number;
};

// Clears in `decided` what `expected` does not state; the rule is at the top of this file.
inline v1::Event as_stated(const v1::Event& expected, v1::Event decided) {
  if (expected.actor().empty()) decided.clear_actor();
  if (expected.request_id().empty()) decided.clear_request_id();
  if (expected.trace().empty()) decided.clear_trace();
  if (!expected.has_cause()) decided.clear_cause();
  if (expected.body_hash().empty()) decided.clear_body_hash();
  if (decided.has_session_requeued() && expected.session_requeued().not_before_ns() == 0)
    decided.mutable_session_requeued()->clear_not_before_ns();
  if (!decided.has_session_requested()) return decided;
  auto* requested = decided.mutable_session_requested();
  const v1::SessionSpec& spec = expected.session_requested().spec();
  if (spec.shm() == 0) requested->mutable_spec()->clear_shm();
  if (spec.mode() == v1::CLUSTER_MODE_UNSPECIFIED) requested->mutable_spec()->clear_mode();
  return decided;
}

// A state, what is decided on it, and what must come of it.
class Case : public Given {
 public:
  explicit Case(const Events& history) : Given(history) { learn(history); }

  Case& and_given(const Events& events) {
    Given::and_given(events);
    learn(events);
    return *this;
  }
  Case& after(Duration time) {
    Given::after(time);
    return *this;
  }
  // Ids that sessions had which left the state.
  Case& with_history(const std::vector<std::string>& sessions) {
    for (const auto& name : sessions) with_past(name, {"alice", name, v1::INTERACTIVE, {}});
    return *this;
  }
  Case& with_past(const std::string& session, const controller::PastSession& past) {
    return with_past_id(session_id(session), past);
  }
  Case& with_past_id(const SessionId& id, const controller::PastSession& past) {
    used_[id] = past;
    in_history_ = [used = used_](const SessionId& asked) {
      const auto found = used.find(asked);
      return found == used.end() ? std::nullopt : std::optional(found->second);
    };
    return *this;
  }

  // A request without an id has a new one; one that was not sent yet is sent now.
  Case& when(v1::Request request) {
    if (request.id().empty()) request.set_id(wire("request " + std::to_string(++requests_)));
    if (request.sent_ms() == 0) request.set_sent_ms(journal().time() / kMillisecond);
    begin();
    fold(controller::decide_request(context(), request));
    return *this;
  }
  // All parts, each folded before the next one is decided.
  Case& when(const v1::Report& report) {
    begin();
    for (const controller::ReportPart& part : controller::parts_of(report)) {
      controller::PartDecision decision = controller::decide(context(), report, part);
      snapshot_ = snapshot_ || decision.snapshot;
      fold(std::move(decision.events));
    }
    snapshot_ = snapshot_ && controller::is_of_its_incarnation(state(), report);
    return *this;
  }
  Case& when(const Cause& cause) {
    begin();
    fold(cause(context()));
    return *this;
  }

  // Exactly these events were decided, in this order; {} for none.
  Case& then(const Events& expected, Line at = {__builtin_FILE(), __builtin_LINE()}) {
    bool same = expected.size() == decided_.size();
    std::string difference;
    for (std::size_t i = 0; i < std::min(expected.size(), decided_.size()); ++i) {
      google::protobuf::util::MessageDifferencer differencer;
      differencer.ReportDifferencesToString(&difference);
      same = differencer.Compare(expected[i], as_stated(expected[i], decided_[i])) && same;
    }
    if (!same)
      ADD_FAILURE_AT(at.file, at.number)
          << "expected" << lines(expected) << "decided" << lines(decided_) << difference;
    return *this;
  }
  Case& then_refused(const std::string& code, Line at = {__builtin_FILE(), __builtin_LINE()}) {
    if (decided_.size() != 1 || decided_[0].request_refused().code() != code)
      ADD_FAILURE_AT(at.file, at.number) << "expected a refusal " << code << ", decided" << lines(decided_);
    else if (decided_[0].request_refused().message().empty())
      ADD_FAILURE_AT(at.file, at.number) << "a refusal says why";
    return *this;
  }
  Case& then_hint(const std::string& hint, Line at = {__builtin_FILE(), __builtin_LINE()}) {
    const bool refused = decided_.size() == 1 && decided_[0].has_request_refused();
    if (!refused || decided_[0].request_refused().hint() != hint)
      ADD_FAILURE_AT(at.file, at.number) << "expected the hint " << hint << ", decided" << lines(decided_);
    return *this;
  }
  // Whether the report's agent is to have a snapshot.
  Case& then_snapshot(bool wanted, Line at = {__builtin_FILE(), __builtin_LINE()}) {
    if (snapshot_ != wanted)
      ADD_FAILURE_AT(at.file, at.number) << (wanted ? "no snapshot is wanted" : "a snapshot is wanted");
    return *this;
  }

  const Events& decided() const { return decided_; }
  // Header time of the last decision.
  Timestamp decided_at() const { return decided_at_; }

 private:
  void begin() {
    decided_.clear();
    snapshot_ = false;
    decided_at_ = journal().time();
  }
  // As the next record would be.
  controller::DecisionContext context() {
    const v1::Record next = journal().next_record({});
    return {state(), {next.header().epoch(), next.header().sequence(), 0}, journal().time(), in_history_};
  }
  void fold(controller::EventList decided) {
    if (decided.empty()) return;
    const Events events(decided.begin(), decided.end());
    Given::when(events).then_applied();
    learn(events);
    decided_ = decided_ + events;
  }
  void learn(const Events& events) {
    for (const auto& event : events) names_.learn(event);
  }
  std::string lines(const Events& events) const {
    std::string text = events.empty() ? " nothing\n" : "\n";
    for (const auto& event : events) text += "  " + describe(event, names_) + "\n";
    return text;
  }

  Events decided_;
  Timestamp decided_at_ = 0;
  bool snapshot_ = false;
  int requests_ = 0;
  NameBook names_;
  std::map<SessionId, controller::PastSession> used_;
  controller::InHistory in_history_;
};

inline Case given(const Events& history) { return Case(history); }

// ---- requests: of user alice for her own sessions and her own self, of the controller for the rest ----

inline v1::Request request() {
  v1::Request request;
  request.set_actor("user:alice");
  *request.mutable_owner() = owner("alice");
  return request;
}
// Of whom no rights are asked.
inline v1::Request controller_request() {
  v1::Request r;
  r.set_actor("controller");
  return r;
}
// The same under an idempotency key.
inline v1::Request keyed(v1::Request request, const std::string& key) {
  request.set_id(wire(key));
  return request;
}
inline v1::Request sent_by(v1::Request request, const std::string& user) {
  request.set_actor("user:" + user);
  *request.mutable_owner() = owner(user);
  return request;
}
// Session "demo", or "demo-1" to "demo-N" where there are several; each has the id of its name.
inline v1::Request request_session(const std::string& name, const v1::SessionSpec& spec = Spec(),
                                   std::uint32_t count = 1) {
  v1::Request r = request();
  auto* body = r.mutable_request_session();
  body->set_name(name);
  body->set_count(count);
  *body->mutable_spec() = spec;
  for (std::uint32_t i = 1; i <= count; ++i)
    body->add_session_ids(wire(count == 1 ? name : name + "-" + std::to_string(i)));
  return r;
}
// `on`: names or ids.
inline v1::Request depending(v1::Request request, const std::vector<std::string>& on) {
  for (const auto& text : on) request.mutable_request_session()->add_depends_on(text);
  return request;
}
inline v1::Request terminate_session(const std::string& session, bool forced = false,
                                     const std::string& reason = "") {
  v1::Request r = request();
  r.mutable_terminate_session()->set_session_id(wire(session));
  r.mutable_terminate_session()->set_forced(forced);
  r.set_reason(reason);
  return r;
}
// What the events would define.
inline v1::Request define(const Events& definitions) {
  v1::Request r = controller_request();
  auto* body = r.mutable_define();
  for (const auto& e : definitions) {
    if (e.has_slot_type_registered()) *body->add_slot_types() = e.slot_type_registered();
    if (e.has_resource_group_defined()) *body->add_groups() = e.resource_group_defined();
    if (e.has_domain_defined()) *body->add_domains() = e.domain_defined();
    if (e.has_project_defined()) *body->add_projects() = e.project_defined();
    if (e.has_user_defined()) *body->add_users() = e.user_defined();
    if (e.has_key_pair_defined()) *body->add_key_pairs() = e.key_pair_defined();
    if (e.has_image_registered()) *body->add_images() = e.image_registered();
    if (e.has_preset_defined()) *body->add_presets() = e.preset_defined();
  }
  return r;
}
inline v1::Request set_limit(const Limit& limit) {
  v1::Request r = controller_request();
  *r.mutable_set_limit()->mutable_limit() = limit.proto();
  return r;
}
inline v1::Request remove_limit(const std::string& scope, const std::string& id) {
  v1::Request r = controller_request();
  r.mutable_remove_limit()->set_scope(value_of<v1::ScopeKind>(scope));
  r.mutable_remove_limit()->set_id(id);
  return r;
}
inline v1::Request fence_agent(const std::string& agent, bool force = true) {
  v1::Request r = controller_request();
  r.mutable_fence_agent()->set_agent(agent);
  r.mutable_fence_agent()->set_force(force);
  return r;
}
inline v1::Request drain_agent(const std::string& agent, bool draining = true) {
  v1::Request r = controller_request();
  r.mutable_drain_agent()->set_agent(agent);
  r.mutable_drain_agent()->set_draining(draining);
  return r;
}
inline v1::Request enroll_agent(const std::string& agent, std::uint32_t generation = 0) {
  v1::Request r = controller_request();
  r.mutable_enroll_agent()->set_agent(agent);
  r.mutable_enroll_agent()->set_generation(generation);
  return r;
}
// `token`: 16 bytes of hash.
inline v1::Request enroll_agent_by_token(const std::string& agent, const std::string& token,
                                         Timestamp expires) {
  v1::Request r = enroll_agent(agent);
  r.mutable_enroll_agent()->set_token_hash(token);
  r.mutable_enroll_agent()->set_token_expires_ms(expires / kMillisecond);
  return r;
}
inline v1::Request collect_agent_key(const std::string& agent, const std::string& token) {
  v1::Request r = controller_request();
  r.mutable_collect_agent_key()->set_agent(agent);
  r.mutable_collect_agent_key()->set_token_hash(token);
  return r;
}
inline v1::Request remove(const std::string& kind, const std::string& name, bool end_sessions = false) {
  v1::Request r = controller_request();
  r.mutable_remove()->set_kind(value_of<v1::DefinitionKind>(kind));
  r.mutable_remove()->set_name(name);
  r.mutable_remove()->set_end_sessions(end_sessions);
  return r;
}
inline v1::Request confirm_clock() {
  v1::Request r = controller_request();
  r.mutable_confirm_clock();
  return r;
}
inline v1::Request release_quarantine(const std::string& subject) {
  v1::Request r = controller_request();
  r.mutable_release_quarantine()->set_subject(subject);
  return r;
}

// ---- how the cluster is kept ----

inline v1::Request set_history_rule(std::int64_t keep_ms) {
  v1::Request r = controller_request();
  r.mutable_set_history_rule()->set_keep_ms(keep_ms);
  return r;
}
inline v1::Request prune_history(std::int64_t before_ms) {
  v1::Request r = controller_request();
  r.mutable_prune_history()->set_before_ms(before_ms);
  return r;
}
inline v1::Sealed some_sealed(std::uint32_t key = 1) {
  v1::Sealed sealed;
  sealed.set_key(key);
  sealed.set_nonce(std::string(24, 'n'));
  sealed.set_box(std::string(64, 'b'));
  return sealed;
}
inline v1::Request add_seal_key(std::uint32_t number) {
  v1::Request r = controller_request();
  r.mutable_add_seal_key()->set_number(number);
  *r.mutable_add_seal_key()->mutable_key() = some_sealed();
  return r;
}
inline v1::Request destroy_seal_key(std::uint32_t number) {
  v1::Request r = controller_request();
  r.mutable_destroy_seal_key()->set_number(number);
  return r;
}
// Said by the server itself.
inline v1::Request record_sealing(const std::string& server, std::uint32_t number) {
  v1::Request r = controller_request();
  r.mutable_record_sealing()->mutable_sealing()->set_server(server);
  r.mutable_record_sealing()->mutable_sealing()->set_number(number);
  return r;
}
inline v1::Request record_backup(Timestamp taken, char fill = 'b') {
  v1::Request r = controller_request();
  r.mutable_record_backup()->mutable_backup()->set_backup(std::string(32, fill));
  r.mutable_record_backup()->mutable_backup()->set_taken_ns(taken);
  r.mutable_record_backup()->mutable_backup()->add_sealing_keys(1);
  return r;
}
// From key `before` to the one after it.
inline v1::Request reseal_password(const std::string& user, std::uint32_t before) {
  v1::Request r = controller_request();
  auto* secret = r.mutable_reseal_secrets()->add_secrets();
  secret->set_kind(v1::SECRET_KIND_PASSWORD);
  secret->set_name(user);
  secret->set_before(before);
  *secret->mutable_secret() = some_sealed(before + 1);
  return r;
}

// ---- people: a user named "root" is the superadmin of tests ----

inline v1::Request put_domain(const std::string& name, bool create = true) {
  v1::Request r = controller_request();
  r.mutable_put_domain()->set_name(name);
  r.mutable_put_domain()->set_create(create);
  return r;
}
inline v1::Request put_project(const std::string& domain, const std::string& name, bool create = true) {
  v1::Request r = controller_request();
  r.mutable_put_project()->set_domain(domain);
  r.mutable_put_project()->set_name(name);
  r.mutable_put_project()->set_create(create);
  return r;
}
// Of domain "default".
inline v1::Request create_user(const std::string& name, const std::string& role = "user") {
  v1::Request r = controller_request();
  r.mutable_put_user()->set_name(name);
  r.mutable_put_user()->set_create(true);
  r.mutable_put_user()->set_domain("default");
  r.mutable_put_user()->set_role(value_of<v1::Role>(role));
  return r;
}
inline v1::Request set_role(const std::string& user, const std::string& role) {
  v1::Request r = controller_request();
  r.mutable_put_user()->set_name(user);
  r.mutable_put_user()->set_role(value_of<v1::Role>(role));
  return r;
}
inline v1::Request set_disabled(const std::string& user, bool disabled = true) {
  v1::Request r = controller_request();
  r.mutable_put_user()->set_name(user);
  r.mutable_put_user()->set_disabled(disabled);
  return r;
}
inline v1::Request put_membership(const std::string& user, const std::string& project,
                                  const std::string& level) {
  v1::Request r = controller_request();
  r.mutable_put_membership()->set_user(user);
  r.mutable_put_membership()->set_project(project);
  r.mutable_put_membership()->set_level(level);
  return r;
}
inline v1::Request add_key_pair(const std::string& id, const std::string& user) {
  v1::Request r = controller_request();
  auto* key = r.mutable_add_key_pair()->mutable_key();
  key->set_id(id);
  key->set_user(user);
  key->set_name("laptop");
  *key->mutable_secret() = some_sealed();
  return r;
}
inline v1::Request change_key_pair(const std::string& id, bool active) {
  v1::Request r = controller_request();
  r.mutable_change_key_pair()->set_id(id);
  r.mutable_change_key_pair()->set_active(active);
  return r;
}
// `token`: 16 bytes of hash.
inline v1::Request issue_login_link(const std::string& user, const std::string& token, Timestamp expires) {
  v1::Request r = controller_request();
  r.mutable_issue_login_link()->set_user(user);
  r.mutable_issue_login_link()->set_token_hash(token);
  r.mutable_issue_login_link()->set_expires_ms(expires / kMillisecond);
  return r;
}
// Names the password that password_set(user) sets.
inline std::string mark_of_set_password(const std::string& user) {
  return password_set(user).password_set().mark();
}
// By the user's old password (of password_set(user)), or by a link's token.
inline v1::Request set_password(const std::string& user, const std::string& token = "") {
  v1::Request r = sent_by(request(), user);
  r.mutable_set_password()->set_user(user);
  *r.mutable_set_password()->mutable_hash() = some_sealed();
  r.mutable_set_password()->set_link_hash(token);
  if (token.empty()) r.mutable_set_password()->set_replaces(mark_of_set_password(user));
  return r;
}
// With the password that password_set(user) sets.
inline v1::Request start_browser_session(const std::string& name, const std::string& user,
                                         Timestamp expires = kTestStart + 24 * kHour) {
  v1::Request r = sent_by(request(), user);
  auto* body = r.mutable_start_browser_session();
  body->set_id(wire(name));
  body->set_user(user);
  body->set_secret_hash(std::string(32, 's'));
  body->set_expires_ms(expires / kMillisecond);
  body->set_password_set(mark_of_set_password(user));
  return r;
}
inline v1::Request end_browser_sessions(const std::string& user, const std::string& name = "",
                                        const std::string& except = "") {
  v1::Request r = sent_by(request(), user);
  auto* body = r.mutable_end_browser_sessions();
  body->set_user(user);
  if (!name.empty()) body->set_id(wire(name));
  if (!except.empty()) body->set_except(wire(except));
  return r;
}
inline v1::Request record_use_of_key(const std::string& id, Timestamp at) {
  v1::Request r = controller_request();
  r.mutable_record_use()->set_key_pair(id);
  r.mutable_record_use()->set_used_ms(at / kMillisecond);
  return r;
}
inline v1::Request record_use(const std::string& browser_session, Timestamp at) {
  v1::Request r = controller_request();
  r.mutable_record_use()->set_browser_session(wire(browser_session));
  r.mutable_record_use()->set_used_ms(at / kMillisecond);
  return r;
}
inline v1::Request terminate_sessions(const std::vector<std::string>& sessions) {
  v1::Request r = request();
  for (const std::string& session : sessions) r.mutable_terminate_sessions()->add_session_ids(wire(session));
  return r;
}

// Selects those with the status, any for ""; ends none yet.
inline v1::Request select_to_end(const std::string& status, std::uint32_t expected, const std::string& key) {
  v1::Request r = keyed(request(), key);
  auto* body = r.mutable_terminate_sessions();
  if (status.empty())
    body->mutable_filter();
  else
    body->mutable_filter()->add_statuses(status);
  body->set_expected(expected);
  return r;
}
// Ends a part of what the request of that key selected.
inline v1::Request end_selected(const std::string& key, std::uint32_t from = 0) {
  v1::Request r = request();
  r.mutable_terminate_sessions()->set_begun_by(wire(key));
  r.mutable_terminate_sessions()->set_from(from);
  return r;
}

// As image_building() or image_build_failed() says.
inline v1::Request record_image_build(const v1::Event& event, const std::string& builder = "") {
  v1::Request r = controller_request();
  *r.mutable_record_image_build()->mutable_build() = event.image_build_changed();
  r.mutable_record_image_build()->mutable_build()->set_builder(builder);
  return r;
}

// Into main1 of the session.
inline v1::Request open_kernel(const std::string& session, const std::string& kind = "exec",
                               const std::string& name = "") {
  v1::Request r = request();
  auto* body = r.mutable_open_kernel();
  body->set_session_id(wire(session));
  body->set_kernel_id(wire(kernel_name(session)));
  body->set_kind(value_of<v1::WayKind>(kind));
  body->set_name(name);
  return r;
}

inline v1::Request share_session(const std::string& session, const std::string& scope, const std::string& id,
                                 bool withdraw = false) {
  v1::Request r = request();
  auto* body = r.mutable_share_session();
  body->set_session_id(wire(session));
  body->set_scope(value_of<v1::ScopeKind>(scope));
  body->set_id(id);
  body->set_withdraw(withdraw);
  return r;
}

}  // namespace berth::testing::decisions
