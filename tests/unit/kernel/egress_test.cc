// The way out of a kernel: the helper as a plain process, and the agent's end of its channel.
#include <cstring>

#include "agents/kernel/inside/passed_socket.h"
#include "tests/support/helper_process.h"
#include "tests/support/inside_connection.h"

namespace berth::inside {
namespace {

Request egress_on(std::uint16_t port) {
  Request request;
  request.what = Request::What::kEgress;
  request.port = port;
  return request;
}

// Invalid if nobody listens there.
Descriptor connect_to_port(std::uint16_t port) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Descriptor stream(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const bool made = connect(stream.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  return made ? std::move(stream) : Descriptor();
}

class EgressOfHelper : public ::testing::Test {
 protected:
  // A channel on which the helper has begun to listen, or the error with which it ends.
  Result<agents::Channel> open() {
    auto channel = agents::Channel::open(helper_.door);
    if (!channel.ok()) return channel;
    if (auto asked = channel->request(egress_on(port_)); !asked.ok()) return asked.error();
    for (int i = 0; i < 2000; ++i) {
      auto none = channel->accepted();
      if (!none.ok()) return none.error();
      if (connect_to_port(port_)) return channel;
      usleep(2000);
    }
    return make_error("helper-silent", "nobody listens");
  }
  static Result<Descriptor> next(agents::Channel& channel) {
    for (;;) {
      auto socket = channel.accepted();
      if (!socket.ok()) return socket.error();
      if (*socket) return std::move(**socket);
      pollfd ready{channel.descriptor(), POLLIN, 0};
      if (poll(&ready, 1, 20'000) != 1) return make_error("helper-silent", "nothing comes out");
    }
  }
  static std::uint16_t free_port() { return Listener().port(); }

  HelperProcess helper_;
  const std::uint16_t port_ = free_port();
};

TEST_F(EgressOfHelper, EachConnectionComesOutAndItsBytesAreTheProgramsOwn) {
  auto channel = open();
  ASSERT_TRUE(channel.ok()) << channel.error().code;
  ASSERT_TRUE(next(*channel).ok()) << "the one that open() made";
  for (int i = 0; i < 100; ++i) {
    const Descriptor program = connect_to_port(port_);
    ASSERT_TRUE(program);
    const auto outside = next(*channel);
    ASSERT_TRUE(outside.ok()) << outside.error().code;
    EXPECT_TRUE(agents::is_connected_from_inside(*outside, port_));
    ASSERT_EQ(send(program.get(), "ask\n", 4, 0), 4);
    ASSERT_EQ(send(outside->get(), "answer\n", 7, 0), 7);
    EXPECT_EQ(answer_to_line(program, ""), "answer");
    EXPECT_EQ(answer_to_line(*outside, ""), "ask");
  }
}

TEST_F(EgressOfHelper, WithoutItsChannelNobodyListens) {
  auto channel = std::make_unique<Result<agents::Channel>>(open());
  ASSERT_TRUE(channel->ok());
  channel.reset();
  for (int i = 0; i < 2000 && connect_to_port(port_); ++i) usleep(2000);
  EXPECT_FALSE(connect_to_port(port_));
  EXPECT_TRUE(open().ok()) << "a new agent opens another";
}

TEST_F(EgressOfHelper, APortThatIsTakenIsSaid) {
  auto first = open();
  ASSERT_TRUE(first.ok());
  auto second = agents::Channel::open(helper_.door);
  ASSERT_TRUE(second->request(egress_on(port_)).ok());
  EXPECT_EQ(next(*second).error().code, "port-taken");
}

// Many more than the channel and the listener's queue hold: how many of them come is the machine's affair.
TEST_F(EgressOfHelper, AThousandConnectionsAtOnceLeaveTheWayOpen) {
  auto channel = open();
  ASSERT_TRUE(channel.ok());
  ASSERT_TRUE(next(*channel).ok());
  std::vector<Descriptor> programs;
  for (int i = 0; i < 1000; ++i) {
    Descriptor stream(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port_);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect(stream.get(), reinterpret_cast<sockaddr*>(&to), sizeof to);
    programs.push_back(std::move(stream));
  }
  for (int i = 0; i < 16; ++i) ASSERT_TRUE(next(*channel).ok()) << i;
  programs.clear();
  const Descriptor program = connect_to_port(port_);
  ASSERT_EQ(send(program.get(), "ask\n", 4, 0), 4);
  for (std::string asked; asked != "ask";) {
    const auto outside = next(*channel);
    ASSERT_TRUE(outside.ok()) << outside.error().code;
    asked = answer_to_line(*outside, "");
  }
  EXPECT_LT(helper_.memory(), 8 << 20);
}

TEST_F(EgressOfHelper, AnAgentsRequestWithoutAPortIsRefused) {
  EXPECT_EQ(check(egress_on(0))->code, "port-refused");
  EXPECT_FALSE(check(egress_on(kEgressPort)));
  EXPECT_TRUE(is_port_of_berth(kEgressPort));
}

}  // namespace
}  // namespace berth::inside
