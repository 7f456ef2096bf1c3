// Events about the log itself and about requests.
#include <algorithm>
#include <charconv>

#include "events/codec/words/codes.h"
#include "projections/fold/event_context.h"
#include "projections/tables/session_bounds.h"

namespace berth::projections {
namespace {

template <std::size_t N> std::array<std::uint8_t, N> fixed(const std::string& bytes) {
  std::array<std::uint8_t, N> out{};
  if (bytes.size() == N) std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

}  // namespace

Forbidden apply(EventContext& c, const v1::ControllerElected& e) {
  const auto nonce = Uuid::from_bytes(e.nonce());
  if (!nonce || nonce->is_nil()) return "an election without a nonce";
  EpochRow row = c.state.epoch();
  if (e.rules() < row.rules) return "rules never fall";
  row.epoch = c.position.epoch;
  row.sequence = 0;
  row.dead = false;
  row.controller = e.controller();
  row.nonce = *nonce;
  row.rules = e.rules();
  c.state.epochs.put(row);
  // Orders that the log may not have: their agents get a snapshot of the new router instead (P21).
  for (const std::string& agent : c.state.order_cursors.sorted_keys())
    if (c.state.order_cursors.find(agent)->last > row.routed) c.order_to(agent, true);
  return {};
}

Forbidden apply(EventContext& c, const v1::ChainHeadRecorded& e) {
  EpochRow row = c.state.epoch();
  const Position routed = from_proto(e.routed());
  if (routed > c.position) return "routed lies ahead";
  row.routed = std::max(row.routed, routed);
  c.state.epochs.put(std::move(row));
  return take_signed_head(c, e);
}

Forbidden apply(EventContext& c, const v1::ClockJumped&) {
  EpochRow row = c.state.epoch();
  row.clock_jumped = true;
  c.state.epochs.put(std::move(row));
  return {};
}

Forbidden apply(EventContext& c, const v1::ClockBehind&) {
  EpochRow row = c.state.epoch();
  row.clock_jumped = false;
  row.clock_behind = ClockBehind::kToConfirm;
  c.state.epochs.put(std::move(row));
  return {};
}

// An operator's word makes no clock right that is behind.
Forbidden apply(EventContext& c, const v1::ClockConfirmed&) {
  EpochRow row = c.state.epoch();
  row.clock_jumped = false;
  if (c.event.request_id().empty())
    row.clock_behind = ClockBehind::kNot;
  else if (row.clock_behind == ClockBehind::kToConfirm)
    row.clock_behind = ClockBehind::kConfirmed;
  c.state.epochs.put(std::move(row));
  if (!c.event.request_id().empty()) note_answer(c, AnswerKind::kAccepted);
  return {};
}

void note_answer(EventContext& c, AnswerKind kind, const SessionId* session) {
  const auto id = Uuid::from_bytes(c.event.request_id());
  if (!id || id->is_nil()) return;
  const RequestRow* known = c.state.requests.find(RequestRow::make_key(c.event.actor(), *id));
  RequestRow row;
  if (known != nullptr) {
    row = *known;
  } else {
    row.actor = c.event.actor();
    row.id = *id;
    row.answer = kind;
    row.position = c.position;
    row.answered_at = c.time;
  }
  if (c.event.body_hash().size() == sizeof(Hash128)) {
    row.body_hash = fixed<16>(c.event.body_hash());
    row.keyed = c.event.keyed();
  }
  if (session != nullptr) row.sessions.push_back(*session);
  c.state.requests.put(std::move(row));
}

Forbidden apply(EventContext& c, const v1::RequestRefused& e) {
  const auto id = Uuid::from_bytes(c.event.request_id());
  if (!id || id->is_nil()) return {};  // of a key that was used for another body: the first answer stands
  note_answer(c, AnswerKind::kRefused);
  RequestRow row = *c.state.requests.find(RequestRow::make_key(c.event.actor(), *id));
  row.code = code_of(e.code());
  row.message = e.message();
  row.hint = e.hint();
  c.state.requests.put(std::move(row));
  return {};
}

// The rows that name an input of the partition at or above `from`. A partition that is rewound to `from` is
// read from there on, so another input may stand at each of these offsets (P35): the stream may have lost its
// end anywhere above `from`, and nothing says where. An input that is still the one that was refused is
// refused again, alone, and answered again. The rows below `from` name inputs that no leader reads any more;
// a stream that begins anew below them is rewound to its beginning, which drops them too.
void forget_quarantined(State& state, const std::string& partition, std::uint64_t from) {
  const std::string begin = partition + "@";
  for (const std::string& what : state.quarantine.sorted_keys()) {
    if (!what.starts_with(begin)) continue;
    std::uint64_t offset = 0;
    std::from_chars(what.data() + begin.size(), what.data() + what.size(), offset);
    if (offset >= from) state.quarantine.erase(what);
  }
}

// A session that is selected need not live any more when its turn comes.
Forbidden apply(EventContext& c, const v1::TerminationBegun& e) {
  const auto id = Uuid::from_bytes(c.event.request_id());
  if (!id || id->is_nil()) return "a termination of no request";
  if (static_cast<std::size_t>(e.selected_size()) > kSelectedMax) return "too many sessions to end";
  std::vector<SessionId> selected;
  selected.reserve(static_cast<std::size_t>(e.selected_size()));
  for (const std::string& bytes : e.selected()) {
    const auto session = Uuid::from_bytes(bytes);
    if (!session || c.state.sessions.find(SessionId(*session)) == nullptr) return "there is no such session";
    selected.emplace_back(*session);
  }
  note_answer(c, AnswerKind::kAccepted);
  RequestRow row = *c.state.requests.find(RequestRow::make_key(c.event.actor(), *id));
  row.selected = std::move(selected);
  c.state.requests.put(std::move(row));
  return {};
}

// Changes nothing: the first answer stands. The event is for auditors, and so that the sender sees one.
Forbidden apply(EventContext&, const v1::RequestRepeated&) { return {}; }

Forbidden apply(EventContext& c, const v1::RequestExpired&) {
  note_answer(c, AnswerKind::kExpired);
  return {};
}

Forbidden apply(EventContext& c, const v1::InputRewound& e) {
  if (e.stream() != v1::REQUESTS && e.stream() != v1::REPORTS) return "an input stream that does not exist";
  const std::string partition = input_key(e.stream(), e.partition());
  InputRow row = input_row(c.state, partition);
  row.rewind(e.to());
  c.state.inputs.put(std::move(row));
  forget_quarantined(c.state, partition, e.to());
  return {};
}

Forbidden apply(EventContext& c, const v1::InternalErrorRecorded& e) {
  const std::string what =
      e.subject().empty() ? quarantine_key(e.stream(), e.partition(), e.offset()) : e.subject();
  const QuarantineRow* known = c.state.quarantine.find(what);
  QuarantineRow row = known != nullptr ? *known : QuarantineRow{what, 0, false};
  row.answered = true;
  c.state.quarantine.put(std::move(row));
  return {};
}

Forbidden apply(EventContext& c, const v1::QuarantineReleased& e) {
  c.state.quarantine.erase(e.subject());
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

}  // namespace berth::projections
