#include "events/inside/frames.h"

#include <gtest/gtest.h>

#include "events/inside/messages.h"
#include "tests/support/talk.h"

namespace berth::inside {
namespace {

TEST(ChannelFrames, ComeWholeWhereverTheStreamIsCut) {
  std::string bytes;
  append_frame(bytes, FrameType::kIn, "typed");
  append_frame(bytes, FrameType::kInEnd, "");
  append_frame(bytes, FrameType::kOut, std::string(kFrameMax, 'x'));
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
    FrameReader reader;
    std::vector<std::pair<FrameType, std::size_t>> got;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      reader.append(std::string_view(bytes).substr(at, step));
      while (const auto frame = reader.next()) got.emplace_back(frame->type, frame->payload.size());
    }
    const std::vector<std::pair<FrameType, std::size_t>> sent = {
        {FrameType::kIn, 5}, {FrameType::kInEnd, 0}, {FrameType::kOut, kFrameMax}};
    EXPECT_EQ(got, sent) << step;
  }
}

TEST(ChannelFrames, AFrameThatSaysThatItIsTooLongEndsTheStream) {
  FrameReader reader;
  reader.append(std::string_view("\x01\x00\x01\x00\x11", 5));  // 64 KiB and one byte
  EXPECT_FALSE(reader.next().has_value());
  EXPECT_TRUE(reader.broken());
}

std::string code_of(const Request& request) {
  Request into;
  const auto problem = decode(encode(request), into);
  return problem ? problem->code : "";
}

TEST(ChannelRequests, ComeBackAsTheyWereWritten) {
  Request request;
  request.what = Request::What::kShell;
  request.name = "main";
  request.existing = true;
  request.args = {"bash", "-c", "echo a\\b\necho c=d", ""};
  request.env = {"A=1", "B=", "C=x=y\n"};
  request.cwd = "/home/work";
  request.path = "data/x=y\n";
  request.socket = "/var/lib/apps/one.sock";
  request.token_variable = "JUPYTER_TOKEN";
  request.size = {132, 50};
  Request again;
  ASSERT_FALSE(decode(encode(request), again).has_value());
  EXPECT_EQ(again.what, request.what);
  EXPECT_EQ(again.name, request.name);
  EXPECT_TRUE(again.existing);
  EXPECT_EQ(again.args, request.args);
  EXPECT_EQ(again.env, request.env);
  EXPECT_EQ(again.cwd, request.cwd);
  EXPECT_EQ(again.path, request.path);
  EXPECT_EQ(again.socket, request.socket);
  EXPECT_EQ(again.token_variable, request.token_variable);
  EXPECT_EQ(again.size.columns, 132);
  EXPECT_EQ(again.size.rows, 50);
}

TEST(ChannelRequests, WhatCannotBeDoneHasACode) {
  EXPECT_EQ(code_of(exec({})), "arguments-missing");
  EXPECT_EQ(code_of(exec({std::string(kArgumentsMax, 'x')})), "arguments-too-long");
  EXPECT_EQ(code_of(exec({std::string("a\0b", 3)})), "request-damaged");
  Request with_variable = exec({"a"}), with_size = exec({"a"});
  with_variable.env = {"=x"};
  EXPECT_EQ(code_of(with_variable), "variable-wrong");
  with_size.size = {0, 24};
  EXPECT_EQ(code_of(with_size), "size-wrong");
  EXPECT_EQ(code_of(shell("")), "name-wrong");
  EXPECT_EQ(code_of(shell("a/b")), "name-wrong");
  EXPECT_EQ(code_of(end_of_shell(std::string(65, 'x'))), "name-wrong");
  for (const char* copies : {"pack", "unpack"}) {
    const auto with = [&](std::string path) {
      Request request;
      request.what = copies == std::string("pack") ? Request::What::kPack : Request::What::kUnpack;
      request.path = std::move(path);
      return code_of(request);
    };
    EXPECT_EQ(with("data"), "");
    EXPECT_EQ(with("/" + std::string(kPathMax - 1, 'x')), "");
    EXPECT_EQ(with(std::string(kPathMax + 1, 'x')), "path-wrong");
    EXPECT_EQ(with(""), "path-wrong");
    EXPECT_EQ(with(std::string("a\0b", 3)), "path-wrong");
  }
  EXPECT_EQ(code_of(end_of_app("")), "name-wrong");
  Request into;
  EXPECT_EQ(decode("", into)->code, "request-damaged");
  EXPECT_EQ(decode("v=1\nrequest=later\nend=\n", into)->code, "unknown-request");
  EXPECT_EQ(decode("v=1\nrequest=exec\ncolumns=x\nend=\n", into)->code, "request-damaged");
}

TEST(ChannelRequests, AnAppsSocketAndTheVariableOfItsTokenAreChecked) {
  const auto with = [](const std::string& socket, const std::string& variable, std::uint16_t port = 0) {
    Request request = app("x", {"true"}, port);
    request.socket = socket;
    request.token_variable = variable;
    return code_of(request);
  };
  EXPECT_EQ(with("", ""), "");
  EXPECT_EQ(with("/x", "_A1"), "");
  EXPECT_EQ(with("/" + std::string(kSocketMax - 1, 'x'), std::string(kNameMax, 'A')), "");
  EXPECT_EQ(with("", "JUPYTER_TOKEN", 8888), "");
  for (const std::string& socket : {std::string("x"), std::string("/"), std::string("/x/"),
                                    std::string("/a\0b", 4), "/" + std::string(kSocketMax, 'x')})
    EXPECT_EQ(with(socket, ""), "socket-wrong") << socket;
  EXPECT_EQ(with("/x", "", 8888), "socket-wrong") << "it has a port";
  for (const std::string& variable :
       {std::string("1A"), std::string("A=B"), std::string("A B"), std::string(kNameMax + 1, 'A')})
    EXPECT_EQ(with("", variable), "variable-wrong") << variable;
}

// The kernel's side writes these, so anything may stand in them.
TEST(ChannelAnswers, DamagedOnesAreNone) {
  EXPECT_FALSE(decode_ended("v=1\ncode=300\nend=\n").has_value());
  EXPECT_FALSE(decode_ended("v=1\ncode=-1\nend=\n").has_value());
  EXPECT_FALSE(decode_begun("v=1\nscrollback=99999999999999999999999\nend=\n").has_value());
  EXPECT_FALSE(decode_shell("v=1\nname=../x\nend=\n").has_value());
  EXPECT_FALSE(decode_lost("v=1\nbytes=-5\nend=\n").has_value());
  EXPECT_FALSE(decode_size("v=1\ncolumns=1001\nend=\n").has_value());
  EXPECT_FALSE(decode_problem("code").has_value());
  EXPECT_FALSE(decode_loss_sum("v=1\nfiles=-1\nend=\n").has_value());
  EXPECT_FALSE(decode_loss_sum("v=1\nbytes=9007199254740992\nend=\n").has_value()) << "2^53";
  EXPECT_FALSE(decode_loss("v=1\nbytes=1\nend=\n").has_value()) << "no path";
  EXPECT_FALSE(decode_loss("v=1\npath=" + std::string(kLossPathMax + 1, 'x') + "\nend=\n").has_value());
  EXPECT_FALSE(decode_loss(std::string("v=1\npath=a\0b\nend=\n", 18)).has_value());
}

TEST(ChannelAnswers, ALossKeepsItsNameButForWhatWouldSteerATerminal) {
  const LossSum sum{3, kLossNumberMax, false};
  const auto again = decode_loss_sum(encode(sum));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->files, 3u);
  EXPECT_EQ(again->bytes, kLossNumberMax);
  EXPECT_FALSE(again->complete);
  const std::string payload = encode(LossEntry{"/home/work/\uBAA8\uB378 \xff\n\x1b[2J\x7f", 7});
  const auto answer = answer_in({FrameType::kLoss, payload});
  ASSERT_TRUE(answer.has_value());
  const auto& entry = std::get<LossEntry>(*answer);
  EXPECT_EQ(entry.path, "/home/work/\uBAA8\uB378 \xff??[2J?");
  EXPECT_EQ(entry.bytes, 7u);
}

}  // namespace
}  // namespace berth::inside
