// Rows as bytes: every table's row, a known vector, and damage.
#include "projections/tables/row_codec.h"

#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

using namespace projections;

template <class Row> std::string encode(Row row) {
  RowEncoder encoder;
  row.fields(encoder);
  return encoder.take();
}

template <class Row> Row round_trip(const Row& row) {
  const std::string bytes = encode(row);
  RowDecoder decoder(bytes);
  EXPECT_TRUE(decoder.ok());
  Row back;
  back.fields(decoder);
  EXPECT_TRUE(decoder.ok());
  EXPECT_EQ(to_hex(encode(back)), to_hex(bytes));
  return back;
}

constexpr Position kPosition{7, 300, 2};

TEST(RowCodec, Session) {
  Given g = given(definitions() + agent("a1") +
                  Events{session_requested("s1", Spec().batch().kernels(2).shares(kUnit))});
  SessionRow row = g.session("s1");
  row.status = SessionStatus::kError;
  row.result = SessionResult::kFailed;
  row.exit_code = -9;
  row.forced = row.terminating = true;
  row.kernel_ids = {kernel_id("k1"), kernel_id("k2")};
  row.placed_in = {id_of("e1"), id_of("e2")};
  row.message = std::string("nul \0 in it", 11);
  EXPECT_EQ(round_trip(row).preemptor_owner, nullptr);
  auto preemptor = std::make_shared<SharedOwner>(*row.owner);
  preemptor->owner.set_user("bob");
  preemptor->bytes = canonical_bytes(preemptor->owner);
  row.preemptor_owner = preemptor;
  const SessionRow back = round_trip(row);
  ASSERT_NE(back.preemptor_owner, nullptr);
  EXPECT_EQ(back.preemptor_owner->owner.user(), "bob");
  EXPECT_EQ(back.exit_code, -9);
  EXPECT_EQ(back.spec->bytes, row.spec->bytes);
  EXPECT_EQ(back.owner->owner.user(), "alice");
  EXPECT_EQ(back.kernel_ids, row.kernel_ids);
  EXPECT_EQ(back.placed_in, row.placed_in);
  EXPECT_EQ(back.message, row.message);
  EXPECT_EQ(back.created, row.created);
}

TEST(RowCodec, Kernel) {
  KernelRow row;
  row.id = kernel_id("k");
  row.session = session_id("s");
  row.devices = {{"gpu0", "cuda.shares", 500'000}, {"", "", 0}, {"gpu1", "cuda.shares", -1}};
  row.state = KernelState::kTerminated;
  row.pid = INT64_MAX;
  row.exit_code = INT32_MIN;
  const KernelRow back = round_trip(row);
  EXPECT_EQ(back.devices, row.devices) << "an element of defaults is kept";
  EXPECT_EQ(back.exit_code, INT32_MIN);
  EXPECT_EQ(back.pid, INT64_MAX);
  EXPECT_EQ(back.state, KernelState::kTerminated);
}

TEST(RowCodec, Agent) {
  AgentRow row;
  row.name = "a1";
  row.state = AgentState::kLost;
  row.draining = row.fenced = true;
  row.incarnation = id_of("i");
  row.slots = {{"cpu", 8 * kUnit}, {"mem", 1}};
  row.devices = {{"gpu0", "A100", {{"cuda.shares", kUnit}}, 1}};
  row.joined = kPosition;
  const AgentRow back = round_trip(row);
  EXPECT_EQ(back.slots, row.slots);
  EXPECT_EQ(back.devices, row.devices);
  EXPECT_EQ(back.joined, kPosition);
  EXPECT_TRUE(back.fenced);
}

TEST(RowCodec, OrderCursorRequestInputQuarantineAndEpoch) {
  EXPECT_EQ(round_trip(OrderCursorRow{"a1", kPosition}).last, kPosition);
  RequestRow request;
  request.actor = "user:alice";
  request.id = id_of("r");
  request.body_hash = blake2b_128("x");
  request.answer = AnswerKind::kRefused;
  request.sessions = {session_id("s1"), session_id("s2")};
  request.selected = {session_id("s3")};
  const RequestRow back = round_trip(request);
  EXPECT_EQ(back.body_hash, request.body_hash);
  EXPECT_EQ(back.sessions, request.sessions);
  EXPECT_EQ(back.selected, request.selected);
  EXPECT_EQ(back.key(), request.key());
  const InputRow input = round_trip(InputRow{"requests/0", UINT64_MAX, UINT32_MAX, {{7, 8, 9}}});
  EXPECT_EQ(input.next, UINT64_MAX);
  EXPECT_EQ(input.marks, (std::vector<InputMark>{{7, 8, 9}}));
  EXPECT_EQ(round_trip(QuarantineRow{"session:x", 2, true}).failures, 2u);
  EpochRow epoch;
  epoch.epoch = 3;
  epoch.link = blake2b_256("x");
  epoch.clock_jumped = true;
  epoch.routed = kPosition;
  EXPECT_EQ(round_trip(epoch).link, epoch.link);
  EXPECT_EQ(round_trip(epoch).routed, kPosition);
}

TEST(RowCodec, Definitions) {
  for (const auto& event : definitions()) {
    if (event.has_resource_group_defined()) {
      GroupRow row;
      row.def = event.resource_group_defined();
      EXPECT_EQ(round_trip(row).def.SerializeAsString(), row.def.SerializeAsString());
    } else if (event.has_user_defined()) {
      UserRow row;
      row.def = event.user_defined();
      EXPECT_EQ(round_trip(row).def.projects(0), "default");
    }
  }
  ProjectRow project;
  project.def.set_domain("d");
  project.def.set_name("p");
  EXPECT_EQ(round_trip(project).key(), "d/p");
}

// Stored rows and state hashes depend on these bytes (P14): a change of them is a change of the rules.
TEST(RowCodec, KnownVector) {
  EXPECT_EQ(to_hex(encode(OrderCursorRow{"a1", {1, 300, 0}})),
            "0a026131"
            "1205"
            "0801"
            "10ac02");
  EXPECT_EQ(to_hex(encode(QuarantineRow{"x", 0, true})),
            "0a0178"
            "1801")
      << "defaults are left out";
  EXPECT_EQ(encode(InputRow{}), "");
}

TEST(RowCodec, CanonicalBytesAreProtobufsOwnWithoutDefaults) {
  for (const auto& event :
       definitions() + agent("a1") + Events{session_requested("s1", Spec().batch().kernels(2))}) {
    const std::string bytes = canonical_bytes(event);
    v1::Event back;
    ASSERT_TRUE(back.ParseFromString(bytes));
    EXPECT_EQ(back.SerializeAsString(), event.SerializeAsString());
    EXPECT_EQ(canonical_bytes(back), bytes);
  }
}

TEST(RowCodec, DamageIsNoticedAndNeverHarms) {
  const google::protobuf::LogSilencer silence;  // it tells stderr of bad UTF-8
  Given g = given(definitions() + agent("a1") + Events{session_requested("s1", Spec().batch())});
  const std::string good = encode(g.session("s1"));
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    RowDecoder decoder(std::string_view(good).substr(0, cut));
    SessionRow row;
    if (decoder.ok()) row.fields(decoder);  // no crash; it may be a whole row by chance
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x80);
    RowDecoder decoder(bad);
    SessionRow row;
    if (decoder.ok()) row.fields(decoder);
  }
  EXPECT_FALSE(RowDecoder("\x0a\x05xx").ok()) << "a length beyond the end";
  EXPECT_FALSE(RowDecoder("\x0d").ok());
  EXPECT_FALSE(RowDecoder(std::string(11, '\xff')).ok());
}

}  // namespace
}  // namespace berth::testing
