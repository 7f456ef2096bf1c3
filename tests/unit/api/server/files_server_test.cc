// Files over sockets: bodies that stream both ways, their ends and their limits.
#include <gtest/gtest.h>

#include <thread>

#include "controller/api/http/server.h"
#include "tests/unit/api/server/http_client.h"
#include "tests/unit/api/support/api_rig.h"
#include "tests/unit/api/support/some_folders.h"

namespace berth::testing {
namespace {

class FilesServer : public ::testing::Test {
 protected:
  void SetUp() override {
    rig_.cell.append(agent_with_volumes("v1", {"local"}));
    rig_.cell.append({folder_of("f1", "data", "alice")});
    rig_.cell.append({folder_is_ready("f1")});
    api::ServerOptions options;
    options.port = 0;
    auto server = api::Server::start(options, rig_.api);
    ASSERT_TRUE(server.ok()) << to_string(server.error());
    server_ = std::move(*server);
  }
  void TearDown() override {
    rig_.cell.stop_agents();
    server_.reset();
  }

  std::string header(const std::string& method, const std::string& target, const std::string& body,
                     const std::string& length) {
    const auto r = rig_.request({.method = method, .target = target, .body = body, .key = "alice-key"});
    std::string out = method + " " + target + " HTTP/1.1\r\nHost: " + r.host + "\r\nX-Berth-Date: " + r.date +
                      "\r\nX-Berth-Version: " + r.version + "\r\nX-Berth-Content-SHA256: " + r.body_hash +
                      "\r\nAuthorization: " + r.authorization + "\r\n" + length + "\r\n";
    if (!body.empty()) out += "Content-Type: " + r.content_type + "\r\n";
    return out + "\r\n";
  }
  std::string chunk(const std::string& body, const std::string& length = "") {
    return header("PUT", "/v1/folders/data/uploads/" + hex_id("u") + "?offset=0", body,
                  length.empty() ? "Content-Length: " + std::to_string(body.size()) : length);
  }
  void answer_offset() {
    v1::FileAnswer at;
    at.set_offset(8);
    rig_.cell.files.answer = [at](const FakeFiles::Asked&) { return answer_with(at); };
  }
  void give_file(const std::string& content, std::uint64_t said) {
    rig_.cell.files.answer = [=](const FakeFiles::Asked&) {
      FakeFileAnswer out;
      out.entry = file_entry("a", said);
      out.body = content;
      out.breaks = true;
      return out;
    };
  }

  ApiRig rig_;
  std::unique_ptr<api::Server> server_;
};

TEST_F(FilesServer, AChunkOfEightMebibytesGoesToTheAgentAndTheConnectionGoesOn) {
  answer_offset();
  const std::string body(8u << 20, 'x');
  RawClient client(server_->port());
  for (int i = 0; i < 2; ++i) {
    std::thread sender([&] { client.send(chunk(body) + body); });
    sender.join();
    const std::string reply = client.reply();
    EXPECT_NE(reply.find("HTTP/1.1 200"), std::string::npos) << reply;
    EXPECT_NE(reply.find("{\"offset\":8}"), std::string::npos) << reply;
  }
  const auto asked = rig_.cell.files.asked();
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].body.size(), body.size());
  EXPECT_EQ(asked[0].what.question.bytes(), body.size());
}

TEST_F(FilesServer, AnEmptyChunkIsOne) {
  answer_offset();
  RawClient client(server_->port());
  client.send(chunk("", "Content-Length: 0"));
  EXPECT_NE(client.reply().find("{\"offset\":8}"), std::string::npos);
}

TEST_F(FilesServer, ALargerChunkIsRefusedBeforeItComes) {
  RawClient client(server_->port());
  client.send(chunk("x", "Content-Length: " + std::to_string((8u << 20) + 1)));
  const std::string reply = client.all();
  EXPECT_NE(reply.find("413 "), std::string::npos) << reply;
  EXPECT_NE(reply.find("larger than 8 MiB"), std::string::npos) << reply;
  RawClient other(server_->port());
  other.send(header("POST", "/v1/folders/data/files", "x", "Content-Length: 2000000"));
  EXPECT_NE(other.all().find("larger than 1 MiB"), std::string::npos) << "no other route takes so much";
  EXPECT_TRUE(rig_.cell.files.asked().empty());
}

TEST_F(FilesServer, AChunkWithoutALengthIsRefused) {
  RawClient client(server_->port());
  client.send(chunk("x", "Transfer-Encoding: chunked"));
  EXPECT_NE(client.all().find("length-required"), std::string::npos);
}

TEST_F(FilesServer, ARefusalIsReadThoughTheWholeChunkIsOnItsWay) {
  rig_.cell.append({folder_shared_with("f1", "user", "bob", "read")});
  const std::string body(4u << 20, 'x');
  RawClient client(server_->port());
  std::thread sender([&] {
    client.send(header("PUT", "/v1/folders/none/uploads/" + hex_id("u") + "?offset=0", body,
                       "Content-Length: " + std::to_string(body.size())) +
                body);
  });
  sender.join();
  EXPECT_NE(client.all().find("unknown-folder"), std::string::npos);
}

TEST_F(FilesServer, AnAgentsEarlyRefusalIsToldBehindTheChunk) {
  rig_.cell.files.answer = [](const FakeFiles::Asked&) {
    FakeFileAnswer out;
    out.refused = make_error("volume-full", "no space is left", "");
    out.at_once = true;
    return out;
  };
  const std::string body(2u << 20, 'x');
  RawClient client(server_->port());
  client.send(chunk(body) + body);
  const std::string reply = client.reply();
  EXPECT_NE(reply.find("HTTP/1.1 507"), std::string::npos) << reply;
  client.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(client.reply().find("200 OK"), std::string::npos) << "the connection goes on";
}

TEST_F(FilesServer, AClientThatLeavesInAChunkLeavesNothingOpen) {
  {
    RawClient client(server_->port());
    client.send(chunk(std::string(1'000, 'x')) + "part of it");
    while (rig_.cell.files.asked().empty()) std::this_thread::yield();
  }
  EXPECT_TRUE(rig_.cell.files.await_closed());
}

TEST_F(FilesServer, AFileComesWithItsLength) {
  const std::string content(3'000'000, 'y');
  give_file(content, content.size());
  RawClient client(server_->port());
  client.send(header("GET", "/v1/folders/data/file?path=a", "", "X-Nothing: 1"));
  const std::string reply = client.all();
  EXPECT_NE(reply.find("Content-Length: 3000000"), std::string::npos) << reply.substr(0, 600);
  EXPECT_NE(reply.find("X-Content-Type-Options: nosniff"), std::string::npos);
  EXPECT_EQ(reply.substr(reply.find("\r\n\r\n") + 4), content);
}

TEST_F(FilesServer, AnEmptyFileComesWholeAndHeadSaysTheLengthAlone) {
  give_file("", 0);
  RawClient client(server_->port());
  client.send(header("GET", "/v1/folders/data/file?path=a", "", "X-Nothing: 1"));
  EXPECT_NE(client.all().find("Content-Length: 0"), std::string::npos);
  give_file("xyz", 3);
  RawClient other(server_->port());
  other.send(header("HEAD", "/v1/folders/data/file?path=a", "", "Connection: close"));
  const std::string reply = other.all();
  EXPECT_NE(reply.find("Content-Length: 3\r\n"), std::string::npos) << reply;
  EXPECT_TRUE(reply.ends_with("\r\n\r\n")) << reply;
}

TEST_F(FilesServer, AFileThatIsCutShortIsNotTakenForAWholeOne) {
  give_file("only this", 100);
  RawClient client(server_->port());
  client.send(header("GET", "/v1/folders/data/file?path=a", "", "X-Nothing: 1"));
  const std::string reply = client.all();
  EXPECT_NE(reply.find("Content-Length: 100"), std::string::npos) << reply;
  EXPECT_TRUE(reply.ends_with("only this")) << reply;
  EXPECT_TRUE(client.closed());
}

}  // namespace
}  // namespace berth::testing
