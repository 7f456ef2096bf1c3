// The agent's end of a channel against a helper whose place somebody hostile has taken: what it may pass out.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <cstring>
#include <functional>

#include "agents/kernel/shim/door.h"
#include "tests/support/inside_connection.h"
#include "tests/unit/kernel/temp_folder.h"

namespace berth::inside {
namespace {

class HostileHelper : public ::testing::Test {
 protected:
  // Takes who knocks and says these bytes, with these descriptors.
  void say(std::string bytes, const std::vector<int>& descriptors) {
    const Descriptor stream(accept4(hostile_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    std::vector<char> control(CMSG_SPACE(descriptors.size() * sizeof(int)));
    iovec from{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &from;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      cmsghdr* const head = CMSG_FIRSTHDR(&message);
      head->cmsg_level = SOL_SOCKET;
      head->cmsg_type = SCM_RIGHTS;
      head->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
      std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size() * sizeof(int));
    }
    EXPECT_EQ(sendmsg(stream.get(), &message, 0), static_cast<ssize_t>(bytes.size()));
  }
  // How a channel ends for which the helper says so.
  std::string answer(const Request& request, const std::string& bytes, const std::vector<int>& descriptors) {
    auto channel = agents::Channel::open(door_);
    EXPECT_TRUE(channel.ok() && channel->request(request).ok());
    say(bytes, descriptors);
    const bool connects = request.what == Request::What::kConnect;
    const auto socket =
        connects ? channel->connected() : Result<std::optional<agents::Connected>>(std::nullopt);
    if (!socket.ok()) return socket.error().code.word();
    if (connects) return *socket ? "connected" : "nothing";
    for (;;) {
      const auto next = channel->next();
      if (!next.ok()) return next.error().code.word();
      if (!*next) return "nothing";
    }
  }
  std::string answer(const std::vector<int>& descriptors) {
    return answer(connect_to(listener_.port()), begun(), descriptors);
  }
  static std::string begun() {
    std::string bytes;
    append_frame(bytes, FrameType::kBegun, encode(Begun{}));
    return bytes;
  }
  static Descriptor connected(const char* address, std::uint16_t port, int type = SOCK_STREAM) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    inet_pton(AF_INET, address, &to.sin_addr);
    Descriptor stream(socket(AF_INET, type | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connect(stream.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    return stream;
  }
  static std::size_t open_here() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
    return count;
  }

  agents::TempFolder folder_;
  std::string door_ = folder_.path + "/door";
  Descriptor hostile_ = agents::shim::make_door(door_);
  Listener listener_;
};

TEST_F(HostileHelper, AConnectionToTheAskedPortIsTaken) {
  const Descriptor good = connected("127.0.0.1", listener_.port());
  EXPECT_EQ(answer({good.get()}), "connected");
}

TEST_F(HostileHelper, WhatIsNoConnectionToTheAskedPortIsRefusedAndClosed) {
  const Listener elsewhere("127.0.0.2"), another;
  const Descriptor unconnected(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const Descriptor to_elsewhere = connected("127.0.0.2", elsewhere.port());
  const Descriptor to_another = connected("127.0.0.1", another.port());
  const Descriptor datagrams = connected("127.0.0.1", listener_.port(), SOCK_DGRAM);
  const Descriptor file(open("/etc/passwd", O_RDONLY | O_CLOEXEC)), folder(open("/", O_PATH | O_CLOEXEC));
  const Descriptor tree(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), null(open("/dev/null", O_RDWR));
  int pipe_ends[2], pair_ends[2];
  ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair_ends), 0);
  const Descriptor reads(pipe_ends[0]), writes(pipe_ends[1]), pair(pair_ends[0]), other(pair_ends[1]);
  const std::size_t before = open_here();
  const std::pair<const char*, int> cases[] = {{"it listens", listener_.socket_itself().get()},
                                               {"it is not connected", unconnected.get()},
                                               {"another address", to_elsewhere.get()},
                                               {"another port", to_another.get()},
                                               {"datagrams", datagrams.get()},
                                               {"a file", file.get()},
                                               {"a path", folder.get()},
                                               {"a folder", tree.get()},
                                               {"a device", null.get()},
                                               {"a pipe to read", reads.get()},
                                               {"a pipe to write", writes.get()},
                                               {"a pair of sockets", pair.get()},
                                               {"the door", hostile_.get()}};
  for (const auto& [what, fd] : cases) EXPECT_EQ(answer({fd}), "helper-garbled") << what;
  EXPECT_EQ(open_here(), before);
}

TEST_F(HostileHelper, AnAppIsReachedByAPortOrBySocketsWithAPathAlone) {
  const std::string name = "hostile-" + std::to_string(getpid());
  std::filesystem::create_directories(std::filesystem::path(app_socket(name)).parent_path());
  const auto stream_to = [](const Descriptor& made, const std::string& path, bool listens) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    const auto* const where = reinterpret_cast<const sockaddr*>(&address);
    return listens ? bind(made.get(), where, sizeof address) == 0 && listen(made.get(), 8) == 0
                   : connect(made.get(), where, sizeof address) == 0;
  };
  const auto make = [] { return Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); };
  const Descriptor own = make(), to_own = make(), strange = make(), to_strange = make(), hidden = make(),
                   to_hidden = make();
  const std::string hidden_name = std::string(1, '\0') + app_socket(name);
  ASSERT_TRUE(stream_to(own, app_socket(name), true) && stream_to(to_own, app_socket(name), false));
  ASSERT_TRUE(stream_to(strange, folder_.path + "/s", true) &&
              stream_to(to_strange, folder_.path + "/s", false));
  ASSERT_TRUE(stream_to(hidden, hidden_name, true) && stream_to(to_hidden, hidden_name, false));
  EXPECT_EQ(answer(connect_to(name), begun(), {to_own.get()}), "connected");
  EXPECT_EQ(answer(connect_to(name), begun(), {to_strange.get()}), "connected")
      << "its helper knows where it listens";
  EXPECT_EQ(answer(connect_to(name), begun(), {to_hidden.get()}), "helper-garbled");
  EXPECT_EQ(answer({to_own.get()}), "helper-garbled") << "a port was asked for";
  const Descriptor taken(accept4(own.get(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_EQ(answer(connect_to(name), begun(), {taken.get()}), "helper-garbled") << "who knocked has no name";
  const Descriptor tcp = connected("127.0.0.1", listener_.port());
  EXPECT_EQ(answer(connect_to(name), begun(), {tcp.get()}), "connected") << "the app may have a port";
  unlink(app_socket(name).c_str());
}

TEST_F(HostileHelper, MoreThanOneDescriptorAndThoseThatNobodyAskedForAreAllClosed) {
  const Descriptor good = connected("127.0.0.1", listener_.port());
  const int fd = good.get();
  std::string out;
  append_frame(out, FrameType::kOut, "x");
  const std::size_t before = open_here();
  EXPECT_EQ(answer({fd, fd}), "helper-garbled");
  EXPECT_EQ(answer(std::vector<int>(200, fd)), "helper-garbled");
  EXPECT_EQ(answer({}), "helper-garbled") << "begun, and no socket";
  EXPECT_EQ(answer(connect_to(listener_.port()), out, {fd}), "helper-garbled");
  EXPECT_EQ(answer(connect_to(listener_.port()), std::string(64, '\xff'), {fd}), "helper-garbled");
  EXPECT_EQ(answer(connect_to(listener_.port()), "\x05", {fd}), "channel-closed");
  EXPECT_EQ(answer(exec({"true"}), begun() + out, {fd}), "helper-garbled");
  EXPECT_EQ(answer(shell("main"), out, {fd, fd}), "helper-garbled");
  EXPECT_EQ(answer(list_of_apps(), begun(), {fd}), "helper-garbled");
  EXPECT_EQ(open_here(), before);
}

TEST_F(HostileHelper, WhatItSaysOfAppsIsCheckedAndPrintable) {
  EXPECT_FALSE(decode_app("v=1\nname=a\nstate=flying\nend=\n").has_value());
  EXPECT_FALSE(decode_app("v=1\nname=../a\nstate=ready\nend=\n").has_value());
  EXPECT_FALSE(decode_app("v=1\nname=a\nport=65536\nend=\n").has_value());
  EXPECT_FALSE(decode_app("v=1\nname=a\ncode=256\nend=\n").has_value());
  AppEntry entry{.name = "a", .log = "\x1b[2Jone\ntwo" + std::string(5000, 'x')};
  std::string bytes;
  append_frame(bytes, FrameType::kApp, encode(entry));
  FrameReader reader;
  reader.append(bytes);
  const auto answer = answer_in(*reader.next());
  ASSERT_TRUE(answer && std::holds_alternative<AppEntry>(*answer));
  EXPECT_EQ(std::get<AppEntry>(*answer).log.substr(0, 11), "?[2Jone\ntwo");
  EXPECT_EQ(std::get<AppEntry>(*answer).log.size(), 1024u);
}

// It becomes part of a header of the agent's answer.
TEST_F(HostileHelper, WhatItSaysOfATokenIsATokenOrNothing) {
  const std::string good(kTokenSize, 'a');
  EXPECT_EQ(decode_begun(encode(Begun{.token = good}))->token, good);
  EXPECT_TRUE(decode_begun(encode(Begun{}))->token.empty());
  for (const std::string& bad : {good + "a", std::string("abc"), std::string(kTokenSize, 'A'),
                                 good.substr(2) + "\r\n", good.substr(1) + "\""})
    EXPECT_FALSE(decode_begun(encode(Begun{.token = bad})).has_value()) << bad;
}

TEST_F(HostileHelper, ASocketIsGivenOnce) {
  const Descriptor good = connected("127.0.0.1", listener_.port());
  auto channel = agents::Channel::open(door_);
  ASSERT_TRUE(channel.ok() && channel->request(connect_to(listener_.port())).ok());
  EXPECT_TRUE(channel->connected().ok());
  say(begun(), {good.get()});
  const auto socket = channel->connected();
  ASSERT_TRUE(socket.ok() && *socket);
  EXPECT_EQ(channel->connected().error().code, "channel-closed") << "once";
}

}  // namespace
}  // namespace berth::inside
