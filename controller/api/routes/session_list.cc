#include "controller/api/routes/session_list.h"

#include <algorithm>
#include <map>

#include "controller/api/map/session_json.h"
#include "controller/api/map/time_text.h"
#include "controller/api/past/past_call.h"
#include "controller/api/routes/user_in_group.h"
#include "projections/session_access.h"
#include "projections/store/history_codec.h"

namespace berth::controller::api {
namespace {

using projections::HistoryEntry;
using projections::SessionRow;

constexpr char kEndedToken[] = "ended:";
constexpr std::size_t kHistoryPage = 500;      // entries read at once
constexpr std::size_t kHistoryLooked = 5'000;  // entries looked at for one reply; then it has fewer

// Where a page begins: among the live ones, or among the ended ones behind the one of that history key.
struct ListPlace {
  projections::Position live;
  bool in_ended = false;
  std::string ended;  // empty: the newest
};

struct SessionsWanted {
  projections::Actor actor;
  SessionFilter filter;
  std::size_t limit = 100;
  Timestamp since = 0;
  ListPlace from;
  bool only_near = false;  // the actor's own, and what is shared with the actor

  bool ended() const {
    return std::any_of(filter.statuses.begin(), filter.statuses.end(), projections::is_end);
  }
  bool takes_ended(const SessionRow& session, const projections::SessionShareRow* shares) const {
    return projections::is_end(session.status) && session.ended_at >= since &&
           filter.matches(session, shares);
  }
};

std::optional<ListPlace> read_token(const std::string& token) {
  ListPlace place;
  if (!token.starts_with(kEndedToken)) {
    const auto position = parse_position(token);
    if (!position) return std::nullopt;
    place.live = *position;
    return place;
  }
  place.in_ended = true;
  const std::string hex = token.substr(sizeof kEndedToken - 1);
  if (hex.empty()) return place;
  const auto key = projections::key_of_token(hex);
  if (!key.ok()) return std::nullopt;
  place.ended = *key;
  return place;
}

// Whoever sees others' sessions by right sees all of these; of ?user= each those that they may see, which may
// be none.
void set_whose(const std::string& user, SessionsWanted& wanted) {
  const auto far = reach(wanted.actor, projections::Noun::kSession, projections::Verb::kSee);
  wanted.filter.user = user;
  wanted.only_near = far == projections::Reach::kOwn && user.empty();
  if (far != projections::Reach::kAll) wanted.filter.seen_by = wanted.actor;
}

SessionsWanted read_wanted(const Services& services, const Call& call, Errors& errors) {
  Query query(call.target, errors);
  SessionsWanted wanted;
  wanted.actor = actor_of(services, call);
  wanted.filter = read_session_filter(query);
  set_whose(query.name("user"), wanted);
  if (query.flag("shared", false)) wanted.filter.shared_with = wanted.actor;
  wanted.limit = static_cast<std::size_t>(query.integer("limit", 1, 1000).value_or(100));
  if (const auto since = query.text("since")) {
    const auto time = parse_time(*since);
    if (!time) query.fail("invalid-parameter", "since", "is no time", "RFC 3339, like 2026-01-31T18:00:00Z");
    wanted.since = time.value_or(0);
  }
  if (const auto token = query.text("page_token")) {
    const auto place = read_token(*token);
    if (!place)
      query.fail("invalid-page-token", "page_token", "is no token of this list",
                 "use next_page_token as it came");
    wanted.from = place.value_or(ListPlace{});
  }
  query.finish();
  return wanted;
}

struct Listed {
  JsonText sessions;
  std::size_t count = 0;
  std::string next;  // page token; empty: this is the end
};

SessionOrder live_shared_with(const projections::State& state, const projections::Actor& actor) {
  SessionOrder order;
  for (const SessionRow* session : sessions_shared_with(state, actor))
    if (!projections::is_end(session->status)) order.emplace(session->created, session->id);
  return order;
}

SessionPage live_page(const projections::State& state, LiveSessions& live, const SessionsWanted& wanted) {
  const auto select = [&](const SessionOrder& order, const SessionOrder& more) {
    return select_sessions(state, order, more, wanted.filter, wanted.from.live, wanted.limit);
  };
  if (wanted.filter.shared_with) return select(live_shared_with(state, wanted.actor), {});
  if (wanted.only_near)
    return select(live.of(state, wanted.actor.user), live_shared_with(state, wanted.actor));
  return select(live.of(state, wanted.filter.user), {});
}

// The live part of the page. True: the page has room for ended ones.
bool list_live(const StateView& view, LiveSessions& live, SessionTexts& texts, const SlotKinds& kinds,
               const SessionsWanted& wanted, Listed& out) {
  if (wanted.from.in_ended) return true;
  const SessionPage page = live_page(view.state, live, wanted);
  texts.write(out.sessions, view.state, kinds, page.sessions, wanted.actor);
  out.count = page.sessions.size();
  if (page.more) out.next = projections::to_string(page.sessions.back()->created);
  return !page.more;
}

// Ended sessions by their history keys, which ascend from the newest end.
using Ended = std::map<std::string, std::string>;

// Those that are in the state still: the newest `limit`, and one more.
void add_ended_in_state(const StateView& view, const SlotKinds& kinds, const SessionsWanted& wanted,
                        std::size_t limit, Ended& out) {
  std::map<std::string, const SessionRow*> newest;
  view.state.sessions.for_each_unordered([&](const SessionRow& session) {
    if (!wanted.takes_ended(session, view.state.session_shares.find(session.id))) return;
    const std::string key = projections::history_key(session);
    if (key <= wanted.from.ended) return;
    newest.emplace(key, &session);
    if (newest.size() > limit + 1) newest.erase(std::prev(newest.end()));
  });
  for (const auto& [key, session] : newest)
    out.emplace(key, session_to_json(view.state, kinds, *session, wanted.actor));
}

// Up to `limit` and one more of history. `looked_to`: where the look ended early; empty: nowhere.
Result<void> add_history(ApiContext& context, const SlotKinds& kinds, const SessionsWanted& wanted,
                         std::size_t limit, Ended& out, std::string& looked_to) {
  if (wanted.filter.shared_with) return {};  // shares end when a session leaves the state
  std::string token = wanted.from.ended.empty() ? "" : projections::history_token(wanted.from.ended);
  for (std::size_t looked = 0, found = 0; found <= limit;) {
    const auto page = context.read_history(kHistoryPage, token);
    if (!page.ok()) return page.error();
    for (const HistoryEntry& entry : page->entries) {
      if (entry.session.ended_at < wanted.since) return {};
      if (!wanted.takes_ended(entry.session, nullptr)) continue;
      ++found;
      out.emplace(projections::history_key(entry.session), history_to_json(kinds, entry, wanted.actor));
    }
    token = page->next_token;
    looked += page->entries.size();
    if (token.empty()) return {};
    if (found > limit || looked < kHistoryLooked) continue;
    const auto key = projections::key_of_token(token);
    if (!key.ok()) return key.error();
    looked_to = *key;
    return {};
  }
  return {};
}

// The first `limit` of what was found, as far as everything up to there was looked at.
void take_ended(const Ended& found, std::size_t limit, const std::string& looked_to, Listed& out) {
  std::string last;
  for (const auto& [key, session] : found) {
    if (limit == 0) {
      out.next = kEndedToken + (last.empty() ? last : projections::history_token(last));
      return;
    }
    if (!looked_to.empty() && key > looked_to) break;
    out.sessions.raw(session);
    last = key;
    --limit;
  }
  if (!looked_to.empty()) out.next = kEndedToken + projections::history_token(looked_to);
}

HttpReply list_reply(const Services& services, const Call& call, const SessionsWanted& wanted) {
  Listed out;
  out.sessions.open('{');
  out.sessions.key("sessions").open('[');
  Ended ended;
  SlotKinds kinds;
  bool goes_on = false;
  std::optional<Problem> missing;
  std::optional<Offset> position;
  const projections::PastPoint* past = nullptr;
  services.context.with_state([&](const StateView& view) {
    missing = missing_group(view.state, call.caller, wanted.filter.group);
    if (missing) return;
    if (view.any) position = view.position;
    kinds = SlotKinds(view.state);
    auto& live = call.past ? call.past->view->live : services.rows.live_sessions();
    auto& texts = call.past ? call.past->view->texts : services.rows.session_texts();
    goes_on = list_live(view, live, texts, kinds, wanted, out) && wanted.ended();
    past = view.past;
    if (goes_on) add_ended_in_state(view, kinds, wanted, wanted.limit - out.count, ended);
  });
  if (missing) return problem_reply(*missing, call);
  if (goes_on) {
    const std::size_t room = wanted.limit - out.count;
    std::string looked_to;
    const auto added = add_history(services.context, kinds, wanted, room, ended, looked_to);
    if (!added.ok()) return problem_reply(to_problem(added.error()), call);
    take_ended(ended, room, looked_to, out);
  }
  out.sessions.close(']');
  if (!out.next.empty() && past != nullptr) out.next = past_token(past->position, out.next);
  out.sessions.put_text("next_page_token", out.next);
  position ? out.sessions.put("position", *position) : out.sessions.put("position", nullptr);
  out.sessions.close('}');
  HttpReply reply = json_text_reply(200, out.sessions.take());
  if (position) reply.set("X-Berth-Position", std::to_string(*position));
  return reply;
}

}  // namespace

void list_sessions(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  const SessionsWanted wanted = read_wanted(services, *call, errors);
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  if (!wanted.ended()) return reply(list_reply(services, *call, wanted));
  take_turn(services, call, reply, Turns::Work::kShort, [=] { reply(list_reply(services, *call, wanted)); });
}

}  // namespace berth::controller::api
