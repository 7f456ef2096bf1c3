// The sealed environment of a session: one for all sessions of a request, outside of the spec that many
// share.
#include <gtest/gtest.h>

#include "projections/store/memory_store.h"
#include "projections/store/store.h"
#include "tests/support/given.h"

namespace berth::testing {
namespace {

v1::Sealed sealed(char fill) {
  v1::Sealed s;
  s.set_key(1);
  s.set_nonce(std::string(24, fill));
  s.set_box(std::string(40, fill));
  return s;
}

// Session `number` of a request for two.
v1::Event of_two(const std::string& name, std::uint32_t number, const std::string& request) {
  v1::Event e = answering(session_requested(name), "user:alice", request);
  e.mutable_session_requested()->set_number(number);
  e.mutable_session_requested()->set_count(2);
  return e;
}

Given with_environments() {
  Given g = given(definitions());
  v1::Event first = of_two("a-1", 1, "ra"), other = of_two("b-1", 1, "rb");
  *first.mutable_session_requested()->mutable_environment() = sealed('a');
  *other.mutable_session_requested()->mutable_environment() = sealed('b');
  g.when({first, of_two("a-2", 2, "ra")}).then_applied();
  g.when({other, of_two("b-2", 2, "rb")}).then_applied();
  g.when({session_requested("plain")}).then_applied();
  return g;
}

TEST(Environment, AllSessionsOfARequestShareTheFirstOnes) {
  Given g = with_environments();
  ASSERT_NE(g.session("a-1").environment, nullptr);
  EXPECT_EQ(g.session("a-1").environment, g.session("a-2").environment) << "one copy in memory";
  EXPECT_EQ(*g.session("a-1").environment, sealed('a').SerializeAsString());
  EXPECT_EQ(*g.session("b-2").environment, sealed('b').SerializeAsString());
  EXPECT_EQ(g.session("plain").environment, nullptr);
  EXPECT_EQ(g.session("a-1").spec, g.session("b-1").spec) << "the spec is still pooled";
}

TEST(Environment, IsSharedAgainAfterALoad) {
  Given g = with_environments();
  projections::MemoryStore store;
  projections::StoreBatch batch;
  g.projection().flush(batch.rows, batch.history);
  batch.meta = {test_cluster(), projections::kStoreSchema, g.projection().chain().next(),
                g.projection().chain().rolling(), g.projection().state_hash()};
  batch.chain = {g.projection().chain().last()};
  ASSERT_TRUE(store.write(batch));
  const auto loaded = projections::load_projection(store, test_cluster(), {});
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  const auto& sessions = (*loaded)->state().sessions;
  const auto* first = sessions.find(session_id("a-1"));
  EXPECT_EQ(*first->environment, sealed('a').SerializeAsString());
  EXPECT_EQ(first->environment, sessions.find(session_id("a-2"))->environment);
}

TEST(Environment, ABoxThatIsNoneIsForbidden) {
  Given g = given(definitions());
  v1::Event bad = session_requested("s1");
  bad.mutable_session_requested()->mutable_environment()->set_box("short");
  g.when({bad}).then_forbidden("sealed value");
}

}  // namespace
}  // namespace berth::testing
