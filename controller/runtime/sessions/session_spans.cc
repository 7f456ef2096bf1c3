#include "controller/runtime/sessions/session_spans.h"

#include <algorithm>
#include <string_view>

namespace berth::controller {
namespace {

using projections::SessionResult;
using projections::SessionRow;
using projections::SessionStatus;

constexpr std::uint8_t kSampled = 1;

// The span of a session's part, in which only times and name differ.
Span span_of(const SessionRow& row, const TraceContext& context, const std::string& name, Timestamp begin,
             Timestamp end) {
  const bool whole = name == "session";
  Span span;
  span.trace = context.trace;
  span.id = derived_span(row.id, whole ? name : name + " " + std::to_string(row.attempt));
  span.parent = whole ? context.parent : derived_span(row.id, "session");
  span.name = name;
  span.begin = begin;
  span.end = end;
  span.attributes = {{"berth.session.id", to_string(row.id)},
                     {"berth.session.name", row.name},
                     {"berth.group", row.spec ? row.spec->spec.group() : ""}};
  if (!whole) span.attributes.emplace_back("berth.attempt", std::to_string(row.attempt));
  return span;
}

Timestamp queued_at(const SessionRow& row) { return std::max(row.created_at, row.requeued_at); }

bool has_failed(const SessionRow& row) {
  return row.status == SessionStatus::kError || row.result == SessionResult::kFailed;
}

}  // namespace

void SessionSpans::on_session(const projections::State&, const SessionRow* before, const SessionRow* after) {
  if (before == nullptr || after == nullptr || before->status == after->status) return;
  if (after->request.is_nil() || !tells_()) return;
  const TraceContext context = trace_of_session(after->trace, after->request);
  if ((context.flags & kSampled) == 0) return;  // whoever asked does not want it recorded
  const auto take = [&](const SessionRow& row, const char* name, Timestamp begin, Timestamp end) {
    if (end < since_) return;
    Span span = span_of(row, context, name, begin, end);
    if (is_end(after->status)) {
      span.attributes.emplace_back("berth.reason", after->reason_code.word());
      span.failed = has_failed(*after);
      span.message = after->reason_code.word();
    }
    take_(std::move(span));
  };
  const bool over = is_end(after->status);
  const bool late = is_waiting(before->status) && over;  // also of a run that was told of before (P24)
  if (!late && is_waiting(before->status) && after->scheduled_at != before->scheduled_at)
    take(*after, "pending", queued_at(*before), after->scheduled_at);
  if (late) take(*after, "pending", queued_at(*before), after->ended_at);
  if (!late && after->running_at != 0 && before->running_at == 0)
    take(*after, "start", after->scheduled_at, after->running_at);
  if (over && !is_waiting(before->status) && after->running_at == 0 && after->scheduled_at != 0)
    take(*after, "start", after->scheduled_at, after->ended_at);  // it never ran, or for too short to be seen
  if (before->running_at != 0 && (over || after->running_at == 0))
    take(*before, "run", before->running_at, over ? after->ended_at : after->requeued_at);
  if (over) take(*after, "session", after->created_at, after->ended_at);
}

void take_spans_of(const api::Call& call, unsigned status, const Instant& now, const TakeSpan& take) {
  if (!call.trace || call.span.empty() || (call.trace->flags & kSampled) == 0) return;
  if (call.route == nullptr || call.route->askers.access == api::Route::kOpen ||
      call.route->askers.access == api::Route::kPage || call.route->traits.scraped)
    return;
  const auto wall = [&now](Timestamp boottime) { return now.wall - (now.boottime - boottime); };
  Span span;
  span.trace = call.trace->trace;
  span.parent = call.trace->parent;
  span.id = context_within(call).parent;
  span.kind = Span::Kind::kServer;
  span.name = std::string(call.route->method) + " " + call.route->pattern;
  span.begin = wall(call.began);
  span.end = now.wall;
  span.attributes = {{"http.request.method", call.request.method},
                     {"http.route", call.route->pattern},
                     {"http.response.status_code", std::to_string(status)},
                     {"berth.request.id", to_string(call.id)}};
  span.failed = status >= 500;
  span.message = span.failed ? "status " + std::to_string(status) : "";
  if (call.answered != 0) {
    Span decide;
    decide.trace = span.trace;
    decide.parent = span.id;
    decide.id = derived_span(call.id, "decide " + call.span);
    decide.name = "decide";
    decide.begin = wall(call.asked);
    decide.end = wall(call.answered);
    decide.attributes = {{"berth.request.id", to_string(call.id)}};
    take(std::move(decide));
  }
  take(std::move(span));
}

}  // namespace berth::controller
