#include "controller/cell/leader/record_pipeline.h"

#include <gtest/gtest.h>

#include "events/base/random.h"

namespace berth::controller {
namespace {

// Every reader takes a larger record for void without a word, and its orders must not leave.
TEST(RecordPipeline, P4_ARecordThatIsTooLargeIsNotWritten) {
  ControllerConfig config;
  config.cluster = Rng(1).uuid();
  config.secret = std::string(32, 's');
  projections::Projection projection(config.cluster, projections::Projection::Tracking::kNone);
  Verifier verifier(config.cluster, config.secret);
  Router router(config, verifier, Rng(2).uuid());
  Tickets tickets;
  ControllerCounters counters;
  OrderOutbox outbox(tickets, counters, {});
  std::set<std::string> snapshot_for;
  RecordPipeline pipeline(config, projection, router, outbox, snapshot_for, tickets, counters);
  pipeline.writer().open(kSecond);
  for (int i = 0; i < 300; ++i) {
    v1::Event event;
    event.mutable_request_refused()->set_message(std::string(1024, 'm'));
    pipeline.writer().add(std::move(event));
  }
  Outputs out;
  pipeline.close({}, out);
  EXPECT_TRUE(out.appends.empty());
  EXPECT_TRUE(pipeline.is_broken());
}

}  // namespace
}  // namespace berth::controller
