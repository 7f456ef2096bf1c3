// P29: an environment from the user to the program: sealed for the cluster, sealed anew for one agent.
#include "events/codec/environment_seal.h"

#include <gtest/gtest.h>

#include "events/base/hash.h"
#include "events/codec/request_hash.h"

namespace berth {
namespace {

const Uuid kOurs = Uuid::from_hash(blake2b_128("our cluster"));
const std::string kId(16, 'r'), kKernel(16, 'k');
constexpr const char* kValue = "hunter2";

EnvironmentSeal cluster_seal() {
  SealingRing ring;
  ring.add({1, std::string(kSealKeyBytes, 's')});
  return {kOurs, ring};
}

v1::Request asking(const std::string& value = kValue) {
  v1::Request request;
  request.set_id(kId);
  request.set_actor("user:alice");
  auto* one = request.mutable_request_session()->mutable_spec()->add_env();
  one->set_key("TOKEN");
  one->set_value(value);
  return request;
}

v1::Request sealed_request(char nonce = 'n', const std::string& value = kValue) {
  v1::Request request = asking(value);
  cluster_seal().seal(request, std::string(kSealNonceBytes, nonce));
  return request;
}

TEST(EnvironmentSeal, NothingOfARequestIsPlainOnceItIsSealed) {
  const v1::Request request = sealed_request();
  EXPECT_EQ(request.request_session().spec().env_size(), 0);
  EXPECT_EQ(request.SerializeAsString().find(kValue), std::string::npos);
  EXPECT_EQ(request.keyed_hash().size(), 16u);
  EXPECT_NE(request.keyed_hash(), as_view(blake2b_128(hashed_bytes(asking())))) << "not the unkeyed hash";
}

TEST(EnvironmentSeal, ARetryHasTheSameKeyedHashAndAnotherBox) {
  const v1::Request first = sealed_request('1'), again = sealed_request('2'),
                    other = sealed_request('1', "x");
  EXPECT_EQ(request_hash(first), request_hash(again));
  EXPECT_NE(first.request_session().environment().box(), again.request_session().environment().box());
  EXPECT_NE(request_hash(first), request_hash(other));
}

TEST(EnvironmentSeal, ARequestWithoutVariablesStaysAsItIs) {
  v1::Request request;
  request.mutable_request_session()->set_name("plain");
  const std::string before = request.SerializeAsString();
  cluster_seal().seal(request, std::string(kSealNonceBytes, 'n'));
  EXPECT_EQ(request.SerializeAsString(), before);
}

TEST(EnvironmentSeal, OpensForItsOwnRequestAlone) {
  const std::string sealed = sealed_request().request_session().environment().SerializeAsString();
  EXPECT_EQ(cluster_seal().open(sealed, "user:alice", kId)->env(0).value(), kValue);
  EXPECT_FALSE(cluster_seal().open(sealed, "user:mallory", kId));
  EXPECT_FALSE(cluster_seal().open(sealed, "user:alice", std::string(16, 'x')));
  EXPECT_FALSE(cluster_seal().open("no message", "user:alice", kId));
}

struct Started {
  v1::Order order;
  Signer agent{kOurs, "agent:a1", 1, std::string(32, 'a')};

  Started() {
    order.set_agent("a1");
    v1::StartKernel& start = *order.add_start();
    start.set_kernel_id(kKernel);
    start.set_attempt(1);
    *start.mutable_environment() =
        cluster_seal().seal_for_agent(sealed_request().request_session().environment().SerializeAsString(),
                                      "user:alice", kId, "a1", agent.key(), start);
  }
};

TEST(EnvironmentSeal, TheAgentOfTheOrderOpensItForItsKernel) {
  Started s;
  EXPECT_EQ(s.order.SerializeAsString().find(kValue), std::string::npos) << "no order holds plaintext";
  open_environments(s.order, s.agent);
  EXPECT_FALSE(s.order.start(0).has_environment());
  EXPECT_EQ(s.order.start(0).spec().env(0).value(), kValue);
}

TEST(EnvironmentSeal, AnotherAgentOrKernelDoesNot) {
  Started other_agent;
  open_environments(other_agent.order, Signer(kOurs, "agent:a1", 1, std::string(32, 'b')));
  EXPECT_TRUE(other_agent.order.start(0).has_environment());
  EXPECT_EQ(other_agent.order.start(0).spec().env_size(), 0);
  Started moved;
  moved.order.mutable_start(0)->set_attempt(2);
  open_environments(moved.order, moved.agent);
  EXPECT_TRUE(moved.order.start(0).has_environment());
}

TEST(EnvironmentSeal, KernelsOfASnapshotAreOpenedToo) {
  Started s;
  v1::Order snapshot;
  snapshot.set_agent("a1");
  *snapshot.mutable_snapshot()->add_kernels()->mutable_start() = s.order.start(0);
  open_environments(snapshot, s.agent);
  EXPECT_EQ(snapshot.snapshot().kernels(0).start().spec().env(0).value(), kValue);
}

TEST(EnvironmentSeal, AnOrderWithoutASnapshotGetsNone) {
  Started s;
  open_environments(s.order, s.agent);
  EXPECT_FALSE(s.order.has_snapshot());
}

}  // namespace
}  // namespace berth
