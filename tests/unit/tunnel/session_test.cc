// Two sessions without a connection: what one has to send is given to the other at chosen moments.
#include "events/tunnel/session.h"

#include <gtest/gtest.h>

#include <numeric>

namespace berth::tunnel {
namespace {

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() {
    give(client_, server_);
    give(server_, client_);
  }
  SessionHooks hooks() {
    SessionHooks hooks;
    hooks.make = [this] { return stream(); };
    hooks.asked = [this](const Question& question, const std::shared_ptr<StreamState>&) {
      asked_.push_back(question.path);
    };
    hooks.unasked = [this](const std::shared_ptr<StreamState>& given_back, const Question& question) {
      given_back_.emplace_back(given_back, question);
    };
    hooks.wake = [] {};
    hooks.full = [this] {
      records_.push_back(out_.size());
      left_ += std::exchange(out_, {});
      return takes_;
    };
    return hooks;
  }
  std::shared_ptr<StreamState> stream() {
    return std::make_shared<StreamState>(boost::asio::make_strand(io_), common_);
  }
  std::shared_ptr<StreamState> ask(const std::string& path) {
    auto asks = stream();
    asks->wait_for_answer([this](const Result<Answer>& answer) {
      told_.push_back(answer ? std::to_string(answer->status) : answer.error().code.word());
    });
    client_.open(asks, {"POST", path, {}});
    return asks;
  }
  void give(Session& from, Session& to) {
    out_ = left_ = {};
    EXPECT_TRUE(from.fill(out_));
    EXPECT_TRUE(to.receive(left_ + out_));
    to.tell_given();
  }
  // "I take no more streams than the first so many": RFC 9113, 6.8.
  void say_no_more(char streams) {
    const char last = static_cast<char>(streams == 0 ? 0 : 2 * streams - 1);
    EXPECT_TRUE(
        client_.receive(std::string("\0\0\x08\x07\0\0\0\0\0\0\0\0", 12) + last + std::string(4, '\0')));
  }

  std::string out_, left_;
  std::vector<std::size_t> records_;
  bool takes_ = true;
  boost::asio::io_context io_;
  const std::shared_ptr<Common> common_ = std::make_shared<Common>();
  std::vector<std::string> asked_, told_;
  std::vector<std::pair<std::shared_ptr<StreamState>, Question>> given_back_;
  Session client_{Role::kClient, {}, hooks()}, server_{Role::kServer, {}, hooks()};
};

TEST_F(SessionTest, AQuestionThatHasNotLeftWhenTheOtherSideTakesNoMoreIsGivenBack) {
  const auto asks = ask("/a");
  say_no_more(0);
  EXPECT_FALSE(client_.takes_questions());
  give(client_, server_);
  ASSERT_EQ(given_back_.size(), 1u);
  EXPECT_EQ(given_back_[0].first, asks);
  EXPECT_EQ(given_back_[0].second.path, "/a");
  EXPECT_EQ(common_->totals.streams, 0u);
  EXPECT_FALSE(asks->over());
  EXPECT_TRUE(asked_.empty() && told_.empty());
}

TEST_F(SessionTest, OneThatLeftAndIsNotWorkedOnIsGivenBackWhileItsBodyIsHere) {
  ask("/first");
  ask("/second");
  const auto third = ask("/third");
  third->write("body", [](const Result<void>&) {});
  give(client_, server_);
  EXPECT_EQ(asked_, (std::vector<std::string>{"/first", "/second", "/third"}));
  say_no_more(1);  // of which the other side knows nothing: it has read no further
  ASSERT_EQ(given_back_.size(), 1u);
  EXPECT_EQ(given_back_[0].second.path, "/second");
  EXPECT_EQ(told_, std::vector<std::string>{kReset.word()}) << "a byte of the third's body is gone";
}

TEST_F(SessionTest, AStreamIsGivenBackOnce) {
  const auto asks = ask("/a");
  say_no_more(0);
  give(client_, server_);
  ASSERT_EQ(given_back_.size(), 1u);
  client_.open(asks, given_back_[0].second);
  give(client_, server_);
  EXPECT_EQ(given_back_.size(), 1u);
  EXPECT_EQ(told_, std::vector<std::string>{kReset.word()});
}

TEST_F(SessionTest, AFullFrameOfABodyFillsARecordOfTls) {
  const auto asks = ask("/a");
  give(client_, server_);
  asks->write(std::string(kReadBytesMax, 'x'), [](const Result<void>&) {});
  give(client_, server_);
  EXPECT_EQ(records_, std::vector<std::size_t>(kReadBytesMax / kTlsRecordBytes, kTlsRecordBytes));
}

TEST_F(SessionTest, ABodyLeavesInFillsOfAReadersPieceUntilAllOfItHasLeft) {
  const auto asks = ask("/a");
  give(client_, server_);
  bool written = false;
  asks->write(std::string(kBufferedBytesMax, 'x'), [&](const Result<void>& done) { written = done.ok(); });
  std::vector<std::size_t> fills;
  do {
    give(client_, server_);
    fills.push_back(left_.size() + out_.size());
  } while (fills.back() > 0);
  EXPECT_TRUE(written);
  const std::size_t heads =
      kBufferedBytesMax / (kTlsRecordBytes - 9) + 1;  // frames, the last of which is short
  EXPECT_EQ(std::accumulate(fills.begin(), fills.end(), std::size_t{0}), kBufferedBytesMax + 9 * heads);
  EXPECT_EQ(fills, (std::vector<std::size_t>{kReadBytesMax, kReadBytesMax, kReadBytesMax, kReadBytesMax,
                                             9 * heads, 0}));
}

TEST_F(SessionTest, AStreamThatIsResetBetweenTwoFillsTakesNothingWithIt) {
  const auto first = ask("/a");
  const auto second = ask("/b");
  give(client_, server_);
  first->write(std::string(kBufferedBytesMax, 'x'), [](const Result<void>&) {});
  second->write(std::string(kReadBytesMax, 'y'), [](const Result<void>&) {});
  give(client_, server_);
  first->reset(Stream::kCancelled);
  for (int i = 0; i < 3; ++i) give(client_, server_);
  bool written = false;
  second->write("more", [&](const Result<void>& done) { written = done.ok(); });
  give(client_, server_);
  EXPECT_TRUE(written);
  EXPECT_EQ(client_.streams(), 1u);
  EXPECT_EQ(server_.streams(), 1u);
}

TEST_F(SessionTest, WhatCannotBeTakenEndsTheFilling) {
  const auto asks = ask("/a");
  give(client_, server_);
  asks->write(std::string(kBufferedBytesMax, 'x'), [](const Result<void>&) {});
  takes_ = false;
  out_.clear();
  EXPECT_FALSE(client_.fill(out_));
  EXPECT_EQ(records_.size(), 1u);
}

}  // namespace
}  // namespace berth::tunnel
