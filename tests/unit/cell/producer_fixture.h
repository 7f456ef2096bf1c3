// ProducerFixture: a leader, one agent, and the producer u1, which may launch and end sessions of user u1.
#pragma once

#include <cstdint>

#include "tests/unit/cell/guard_fixture.h"

namespace berth::controller {

class ProducerFixture : public GuardTest {
 protected:
  void SetUp() override {
    GuardTest::SetUp();
    put_producer();
  }
  void put_producer() {
    v1::Request put;
    auto* web = put.mutable_put_producer();
    web->set_name("u1");
    web->set_create(true);
    web->set_set_scope(true);
    web->add_requests("request_session");
    web->add_requests("terminate_session");
    auto* owners = web->add_owners();
    owners->set_scope(v1::SCOPE_KIND_USER);
    owners->set_id("u1");
    ask(put);
    read_all_back();
  }
  // What u1 asks for in the form that the test bends.
  v1::Request asking() {
    v1::Request request = session(1);
    request.set_id(std::string(random.uuid().view()));
    request.set_actor("producer:u1");
    request.set_sent_ms(now.wall / kMillisecond);
    *request.mutable_owner() = owner();
    return request;
  }
  void read_payload(const std::string& payload) { when(InputRead{{kRequests, requests++, payload}}); }
  void read_signed(const v1::Request& request, const Signer& by) {
    read_payload(by.sign(Channel::kRequest, request.SerializeAsString()));
  }
  std::uint64_t refused(ProducerRefusal why) const {
    return controller->counters().producers_refused.of(why);
  }
  // Dropped, and counted as that alone.
  void expect_dropped(ProducerRefusal why) {
    EXPECT_TRUE(events().empty());
    EXPECT_EQ(state().sessions.size(), 0u);
    EXPECT_EQ(refused(why), 1u) << name_of(why);
    EXPECT_EQ(controller->counters().dropped, 1u);
  }
  void put(void (*change)(v1::PutProducer&)) {
    v1::Request request;
    request.mutable_put_producer()->set_name("u1");
    change(*request.mutable_put_producer());
    ask(request);
    read_all_back();
  }
  // Of producer "u1", under its own key.
  const v1::Event& asked(v1::Request request) {
    request.set_id(std::string(random.uuid().view()));
    request.set_actor("producer:u1");
    request.set_sent_ms(now.wall / kMillisecond);
    when(InputRead{
        {kRequests, requests++, signer("producer:u1").sign(Channel::kRequest, request.SerializeAsString())}});
    decided = events();
    BERTH_CHECK(!decided.empty(), "a producer is answered");
    return decided[0];
  }
  std::vector<v1::Event> decided;
};

}  // namespace berth::controller
