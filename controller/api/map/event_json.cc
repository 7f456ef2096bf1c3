#include "controller/api/map/event_json.h"

#include <google/protobuf/descriptor.h>

#include <charconv>

#include "controller/api/map/json_values.h"
#include "events/base/checks.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// The event's body, or nullptr where this build does not know it.
const Message* body_of(const v1::Event& event) {
  const auto* field = v1::Event::descriptor()->FindFieldByNumber(event.body_case());
  return field == nullptr ? nullptr : &event.GetReflection()->GetMessage(event, field);
}

// A bytes field of the body by name; empty where the body has none.
std::string id_in(const v1::Event& event, const char* name) {
  const Message* body = body_of(event);
  const auto* field = body == nullptr ? nullptr : body->GetDescriptor()->FindFieldByName(name);
  if (field == nullptr || field->is_repeated() || field->type() != FieldDescriptor::TYPE_BYTES) return {};
  return body->GetReflection()->GetString(*body, field);
}

void teach_session(NameBook& names, const projections::State& state, const std::string& id) {
  const auto uuid = Uuid::from_bytes(id);
  const auto* session = uuid ? state.sessions.find(SessionId(*uuid)) : nullptr;
  if (session == nullptr) return;
  v1::Event event;
  event.mutable_session_requested()->set_session_id(id);
  event.mutable_session_requested()->set_name(session->name);
  names.learn(event);
}

void teach_kernel(NameBook& names, const projections::State& state, const std::string& id) {
  const auto uuid = Uuid::from_bytes(id);
  const auto* kernel = uuid ? state.kernels.find(KernelId(*uuid)) : nullptr;
  if (kernel == nullptr || kernel->spec == nullptr) return;
  const std::string session(kernel->session.view());
  teach_session(names, state, session);
  v1::Event event;
  auto* scheduled = event.mutable_session_scheduled();
  scheduled->set_session_id(session);
  auto* placement = scheduled->add_placements();
  placement->set_kernel_id(id);
  placement->set_role(kernel->role_spec().role());
  placement->set_index(kernel->index);
  names.learn(event);
}

}  // namespace

std::string to_string(const EventId& id) {
  return std::to_string(id.offset) + "-" + std::to_string(id.index);
}

std::optional<EventId> parse_event_id(std::string_view text) {
  EventId id;
  const char* const end = text.data() + text.size();
  const auto [dash, error] = std::from_chars(text.data(), end, id.offset);
  if (error != std::errc() || dash == end || *dash != '-') return std::nullopt;
  const auto [stop, error2] = std::from_chars(dash + 1, end, id.index);
  if (error2 != std::errc() || stop != end) return std::nullopt;
  return id;
}

NameBook names_for(const projections::State& state, const v1::Record& record) {
  NameBook names;
  for (const auto& event : record.events()) {
    for (const char* field : {"session_id", "preemptor"})
      if (const std::string session = id_in(event, field); !session.empty())
        teach_session(names, state, session);
    if (const std::string kernel = id_in(event, "kernel_id"); !kernel.empty())
      teach_kernel(names, state, kernel);
    names.learn(event);
  }
  return names;
}

std::optional<SessionId> session_of(const projections::State& state, const v1::Event& event) {
  if (const auto id = Uuid::from_bytes(id_in(event, "session_id")); id && !id->is_nil())
    return SessionId(*id);
  const auto kernel = Uuid::from_bytes(id_in(event, "kernel_id"));
  const auto* row = kernel && !kernel->is_nil() ? state.kernels.find(KernelId(*kernel)) : nullptr;
  if (row == nullptr) return std::nullopt;
  return row->session;
}

json::object event_to_json(const v1::Record& record, int index, std::uint64_t offset, const SlotKinds& kinds,
                           const NameBook& names, const std::optional<SessionId>& session) {
  BERTH_CHECK(index >= 0 && index < record.events_size(), "no such event in the record");
  const v1::Event& event = record.events(index);
  const auto& header = record.header();
  const EventId id{offset, static_cast<std::uint32_t>(index)};
  const projections::Position position{header.epoch(), header.sequence(), id.index};
  json::object out{{"id", to_string(id)}, {"offset", offset}, {"index", index}};
  out["position"] = projections::to_string(position);
  out["time"] = time_or_null(header.time_ns());
  out["type"] = event_name(event);
  out["actor"] = event.actor();
  out["request_id"] = id_or_null(Uuid::from_bytes(event.request_id()).value_or(Uuid{}));
  out["cause"] = event.has_cause()
                     ? json::value(projections::to_string(projections::from_proto(event.cause())))
                     : json::value(nullptr);
  out["trace"] = event.trace();
  out["reason"] = text_or_null(event.reason());
  out["text"] = describe(event, names);
  out["session"] = session ? json::value(to_string(*session)) : json::value(nullptr);
  const Message* body = body_of(event);
  out["data"] = body == nullptr ? json::object() : message_to_json(*body, kinds);
  return out;
}

}  // namespace berth::controller::api
