// Signed chain heads, the key that signs them, and audits of the journal as jobs.
#include "controller/api/audit/audit_jobs.h"
#include "controller/api/map/define_request.h"
#include "controller/api/map/json_reader.h"
#include "controller/api/map/json_values.h"
#include "controller/api/routes/asker.h"
#include "controller/api/routes/call.h"
#include "events/base/hash.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::Verb;

std::optional<projections::HeadRow> head_row(const Services& services) {
  std::optional<projections::HeadRow> row;
  services.context.with_state([&](const StateView& view) {
    if (const auto* found = view.state.heads.find("head"); found != nullptr) row = *found;
  });
  return row;
}

json::object head_json(const projections::SignedHead& head) {
  json::object out = projections::to_json(head);
  out["position"] = std::to_string(head.offset == 0 ? 0 : head.offset - 1) + "-0";
  return out;
}

// `signed` false: there is a key perhaps, and no head yet.
void show_head(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  const auto row = head_row(services);
  if (!row || row->signature.empty())
    return reply(json_reply(
        200, json::object{{"signed", false},
                          {"cluster_id", to_string(services.context.facts().cluster_id)},
                          {"current_key", row ? json::value(to_hex(row->public_key)) : json::value()}}));
  json::object out = head_json(signed_head_of(*row));
  out["signed"] = true;
  out["current_key"] = to_hex(row->public_key);
  out["signed_at"] = time_or_null(row->recorded_at);
  reply(json_reply(200, out));
}

// Where there is no key yet, the leader says so.
Result<void> fill_rotation(const Services& services, v1::Request& request, v1::HeadKeyChanged& made) {
  auto* rotate = request.mutable_rotate_head_key();
  const auto row = head_row(services);
  if (!row) return {};
  auto next = services.context.next_head_key(row->public_key, row->secret_key);
  if (!next) return next.error();
  made = std::move(*next);
  rotate->set_public_key(made.public_key());
  *rotate->mutable_secret_key() = made.secret_key();
  rotate->set_previous_key(made.previous_key());
  rotate->set_signature(made.signature());
  return {};
}

void rotate(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto made = std::make_shared<v1::HeadKeyChanged>();
  const auto fill = [&services, made](v1::Request& request, const json::object& body, Errors& errors) {
    read_nothing(body, errors);
    if (const auto filled = fill_rotation(services, request, *made); !filled)
      errors.add(filled.error().code, "", filled.error().message);
  };
  ask_with_body(
      services, call, reply, fill,
      [made](const RequestAnswer& answer) {
        return json_reply(200, json::object{{"key", to_hex(made->public_key())},
                                            {"previous_key", to_hex(made->previous_key())},
                                            {"position", answer.position}});
      },
      [services, made](v1::Request& request) { (void)fill_rotation(services, request, *made); });
}

json::object progress_json(const AuditProgress& told) {
  json::object out{{"job", told.id},
                   {"state", told.state},
                   {"from", 0},
                   {"to", told.to},
                   {"checked", told.next},
                   {"total", told.to},
                   {"applied", told.counts.applied},
                   {"void", told.counts.voided},
                   {"heads", told.counts.heads},
                   {"keys", told.counts.keys},
                   {"rolling_hash", to_hex(told.rolling)},
                   {"first_bad", nullptr},
                   {"code", nullptr},
                   {"message", ""}};
  json::array ignored;
  for (const auto& record : told.ignored)
    ignored.push_back(
        json::object{{"position", std::to_string(record.offset) + "-0"}, {"reason", to_string(record)}});
  out["ignored"] = std::move(ignored);
  out["head"] = told.head ? json::value(head_json(*told.head)) : json::value();
  if (told.finding) {
    out["first_bad"] = std::to_string(told.finding->offset) + "-0";
    out["code"] = told.finding->code.word();
    out["message"] = told.finding->message;
  }
  if (told.error) {
    out["code"] = told.error->code.word();
    out["message"] = told.error->message;
  }
  return out;
}

void start_audit(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query(call->target, errors).finish();
  AuditAsked asked;
  asked.person = call->caller.actor();
  const auto body = body_of(*call);
  if (!body) return reply(problem_reply(to_problem(body.error()), *call));
  ObjectReader in(*body, "", errors);
  if (const auto to = in.integer("to", 0, INT64_MAX)) asked.to = static_cast<Offset>(*to);
  std::optional<Error> no_head;
  if (const auto* value = in.object("head")) {
    auto head = projections::read_head(json::value(*value));
    if (head)
      asked.kept = std::move(*head);
    else
      no_head = head.error();
  }
  in.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  if (no_head) return reply(problem_reply(to_problem(*no_head), *call));
  take_turn(services, call, reply, Turns::Work::kScan, [=] {
    const auto id = services.audits.start(asked);
    if (!id) return reply(problem_reply(to_problem(id.error()), *call));
    reply(json_reply(202, json::object{{"job", *id}}));
  });
}

void show_audit(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  const auto told = services.audits.find(call->path[0]);
  if (!told)
    return reply(problem_reply(make_problem("unknown-audit", "this server has no such audit",
                                            "each server knows its own; POST /v1/audit starts one"),
                               *call));
  reply(json_reply(200, progress_json(*told)));
}

void cancel_audit(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  if (!services.audits.cancel(call->path[0]))
    return reply(problem_reply(
        make_problem("unknown-audit", "this server has no such audit", "each server knows its own"), *call));
  reply(json_reply(200, json::object{}));
}

}  // namespace

std::vector<Route> audit_routes() {
  const Route::Need sees{Noun::kJournal, Verb::kSee};
  return {{"GET", "/v1/audit/head", "getAuditHead", show_head, sees},
          {"POST", "/v1/audit/head-key", "rotateHeadKey", rotate, {Noun::kCluster, Verb::kChange}},
          {"POST", "/v1/audit", "startAudit", start_audit, sees},
          {"GET", "/v1/audit/{job}", "getAudit", show_audit, sees},
          {"DELETE", "/v1/audit/{job}", "cancelAudit", cancel_audit, sees}};
}

}  // namespace berth::controller::api
