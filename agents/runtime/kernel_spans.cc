#include "agents/runtime/kernel_spans.h"

#include <algorithm>
#include <variant>

#include "agents/core/kernel_spec.h"
#include "events/base/trace_context.h"
#include "events/codec/words/codes.h"

namespace berth::agents {
namespace {

constexpr std::uint8_t kSampled = 1;

Code name_of(KernelEnd end) {
  switch (end) {
    case KernelEnd::kExited: return "exited";
    case KernelEnd::kSignalled: return "signalled";
    case KernelEnd::kOutOfMemory: return "out-of-memory";
    case KernelEnd::kStopped: return "stopped";
    case KernelEnd::kLeaseOver: return "lease-over";
    case KernelEnd::kMachineStopped: return "machine-stopped";
    case KernelEnd::kStartFailed: return "start-failed";
    case KernelEnd::kResultUnknown: return "result-unknown";
  }
  return "result-unknown";
}

bool ended_well(const KernelEvent& event) {
  return event.end == KernelEnd::kStopped || (event.end == KernelEnd::kExited && event.exit_code == 0);
}

Code reason_of(const KernelEvent& event) {
  return event.error.code.empty() ? name_of(event.end) : event.error.code;
}

void fail(Span& span, Code why) {
  span.failed = true;
  span.message = why.word();
}

}  // namespace

void KernelSpans::on_input(const AgentInput& input, const KernelTable& known, Timestamp now) {
  if (const auto* order = std::get_if<OrderArrived>(&input)) return on_order(order->order, known, now);
  if (followed_.empty()) return;
  if (const auto* event = std::get_if<KernelEvent>(&input)) return on_event(*event, now);
  if (const auto* image = std::get_if<ImageDone>(&input)) return on_image(*image, now);
  if (std::holds_alternative<Tick>(input)) drop_unknown(known);
}

// An order that the agent does not obey is followed until the next tick. A snapshot orders starts whose own
// order was lost, and says of kernels of an earlier life to which trace they belong.
void KernelSpans::on_order(const v1::Order& order, const KernelTable& known, Timestamp now) {
  for (const auto& start : order.start())
    if (const auto key = key_of(start); key && !known.records().contains(*key)) follow(start, *key, now);
  for (const auto& desired : order.snapshot().kernels()) {
    const auto key = key_of(desired.start());
    if (!key) continue;
    const auto record = known.records().find(*key);
    if (record == known.records().end()) {
      if (!desired.started() && !desired.stopping()) follow(desired.start(), *key, now);
    } else if (!record->second.ended()) {
      follow(desired.start(), *key, 0);
    }
  }
}

void KernelSpans::follow(const v1::StartKernel& start, const KernelKey& key, Timestamp ordered) {
  const auto context = parse_traceparent(start.trace());
  if (!context || (context->flags & kSampled) == 0 || followed_.contains(key)) return;
  Followed& one = followed_[key];
  one.context = *context;
  one.image = {start.image(), start.image_source(), start.image_digest()};
  one.attributes = {{"berth.session.id", to_string(SessionId(*Uuid::from_bytes(start.session_id())))},
                    {"berth.session.name", start.session_name()},
                    {"berth.kernel.id", to_string(key.kernel)},
                    {"berth.kernel.name", start.role() + std::to_string(start.index())},
                    {"berth.attempt", std::to_string(key.attempt)},
                    {"berth.agent", agent_}};
  one.ordered = ordered;
  one.runs = ordered == 0;
}

void KernelSpans::drop_unknown(const KernelTable& known) {
  std::erase_if(followed_, [&](const auto& entry) { return !known.records().contains(entry.first); });
}

void KernelSpans::on_image(const ImageDone& done, Timestamp now) {
  for (const auto& [key, one] : followed_) {
    const ImageRequest& image = one.image;
    if (one.runs || one.given != 0 || image.reference != done.request.reference ||
        image.source != done.request.source || image.digest != done.request.digest)
      continue;
    Span span = part_of(key, one, "image", one.ordered, now);
    span.attributes.emplace_back("berth.image", image.reference);
    if (!done.result.ok()) fail(span, done.result.error().code);
    take_(std::move(span));
  }
}

void KernelSpans::on_command(const AgentCommand& command, Timestamp now) {
  const auto touch = [&](const KernelKey& key, Timestamp Followed::*when) {
    if (const auto found = followed_.find(key); found != followed_.end() && found->second.*when == 0)
      found->second.*when = now;
  };
  if (const auto* start = std::get_if<StartCommand>(&command)) touch(start->spec.key, &Followed::given);
  if (const auto* stop = std::get_if<StopCommand>(&command)) touch(stop->key, &Followed::stopped);
}

void KernelSpans::on_event(const KernelEvent& event, Timestamp now) {
  const auto found = followed_.find(event.key);
  if (found == followed_.end()) return;
  Followed& one = found->second;
  switch (event.what) {
    case KernelEvent::What::kCreating: one.creating = now; return;
    case KernelEvent::What::kRunning:
      if (!std::exchange(one.runs, true)) end_start(event.key, one, now, {});
      return;
    case KernelEvent::What::kStays: return;
    case KernelEvent::What::kEnded: break;
  }
  const bool never_ran = event.started_at == 0 || event.end == KernelEnd::kStartFailed;
  if (!one.runs && never_ran)
    end_start(event.key, one, now, reason_of(event));
  else if (!one.runs)  // for too short to be seen
    end_start(event.key, one, event.started_at, {});
  if (one.runs || !never_ran) {
    Span span = span_of(event.key, one, "end kernel", one.stopped != 0 ? one.stopped : event.ended_at, now);
    span.attributes.emplace_back("berth.end", name_of(event.end).word());
    span.attributes.emplace_back("berth.exit_code", std::to_string(event.exit_code));
    if (!ended_well(event)) fail(span, reason_of(event));
    take_(std::move(span));
  }
  followed_.erase(found);
}

// What the backend has had ends by its event, which comes before its report.
void KernelSpans::on_report(const v1::Report& report) {
  if (followed_.empty()) return;
  for (const auto& fact : report.facts()) {
    const auto kernel = Uuid::from_bytes(fact.kernel_id());
    if (fact.state() != v1::TERMINATED || !kernel) continue;
    const auto found = followed_.find({KernelId(*kernel), fact.attempt()});
    if (found == followed_.end()) continue;
    end_start(found->first, found->second, fact.ended_ns(),
              fact.code() == v1::CODE_UNSPECIFIED ? Code("never-started") : code_of(fact.code()));
    followed_.erase(found);
  }
}

void KernelSpans::end_start(const KernelKey& key, const Followed& one, Timestamp end, Code failure) {
  if (one.ordered == 0) return;
  if (containers_ && one.given != 0 && one.creating != 0) {
    take_(part_of(key, one, "prepare", one.given, one.creating));
    take_(part_of(key, one, "runtime", one.creating, end));
  }
  Span span = span_of(key, one, "start kernel", one.ordered, end);
  if (!failure.empty()) fail(span, failure);
  take_(std::move(span));
}

Span KernelSpans::span_of(const KernelKey& key, const Followed& one, const char* name, Timestamp begin,
                          Timestamp end) const {
  Span span;
  span.trace = one.context.trace;
  span.parent = one.context.parent;
  span.id = derived_span(key.kernel, std::string(name) + " " + std::to_string(key.attempt));
  span.name = name;
  span.begin = begin;
  span.end = std::max(begin, end);
  span.attributes = one.attributes;
  return span;
}

Span KernelSpans::part_of(const KernelKey& key, const Followed& one, const char* name, Timestamp begin,
                          Timestamp end) const {
  Span span = span_of(key, one, name, begin, end);
  span.parent = derived_span(key.kernel, "start kernel " + std::to_string(key.attempt));
  return span;
}

}  // namespace berth::agents
