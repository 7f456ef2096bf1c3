#include "bench/why_cell.h"

#include "bench/tools.h"
#include "events/codec/envelope.h"

namespace berth::bench {
namespace {

constexpr std::size_t kEventsOfRecord = 1'000;  // a scheduler's arrival has 12 bits for the event's number

}  // namespace

WhyCell::WhyCell() : projection_(Uuid{}, projections::Projection::Tracking::kNone) {
  leader_.rebuild(state(), now_);
  projection_.set_listener(this);
  header_.set_epoch(1);
  v1::Event elected;
  elected.mutable_controller_elected()->set_controller("bench");
  elected.mutable_controller_elected()->set_nonce(std::string(16, 'n'));
  elected.mutable_controller_elected()->set_rules(kRules);
  add(elected);
  close();
}

void WhyCell::add(const v1::Event& event) {
  if (events_ == kEventsOfRecord) close();
  if (events_++ == 0) {
    header_.set_time_ns(now_);
    projection_.own().open(header_);
  }
  if (const std::string forbidden = projection_.own().add(event); !forbidden.empty())
    give_up(make_error("internal-error", "the fold forbids: " + forbidden));
}

void WhyCell::close() {
  if (events_ == 0) return;
  projection_.own().close(header_, Hash256{});
  header_.set_sequence(header_.sequence() + 1);
  events_ = 0;
  now_ += kMillisecond;
}

}  // namespace berth::bench
