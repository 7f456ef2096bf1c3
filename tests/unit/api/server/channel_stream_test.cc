#include "controller/api/http/channel_stream.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <deque>
#include <vector>

namespace berth::controller::api {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// A channel of which the test answers what is asked.
struct Channel final : KernelChannel {
  void read(std::function<void(Result<std::string>)> done) override { reads.push_back(std::move(done)); }
  void write(std::string bytes, std::function<void(Result<void>)> done) override {
    said.push_back(finished ? "after the end" : std::move(bytes));
    writes.push_back(std::move(done));
  }
  void finish() override { finished = true; }

  std::deque<std::function<void(Result<std::string>)>> reads;
  std::deque<std::function<void(Result<void>)>> writes;
  std::vector<std::string> said;
  bool finished = false;
};

struct Done {
  error_code error;
  std::size_t size = 0;
  bool operator==(const Done&) const = default;
};

Error lost() { return make_error("agent-unreachable", "it is gone"); }

class ChannelStreamTest : public ::testing::Test {
 protected:
  void run() {
    io_.restart();
    io_.poll();
  }
  void answer_read(Result<std::string> bytes) {
    const auto done = std::move(channel_->reads.front());
    channel_->reads.pop_front();
    done(std::move(bytes));
    run();
  }
  void answer_write(const Result<void>& written) {
    const auto done = std::move(channel_->writes.front());
    channel_->writes.pop_front();
    done(written);
    run();
  }
  void read(std::size_t most) {
    into_.assign(most, '\0');
    stream_.async_read_some(asio::buffer(into_), [this](error_code error, std::size_t size) {
      read_ = {error, size};
      into_.resize(size);
    });
    run();
  }
  void read_piece() {
    piece_.reset();
    stream_.read_piece([this](error_code error, std::string piece) {
      read_ = {error, piece.size()};
      piece_ = std::move(piece);
    });
    run();
  }
  void write(const std::string& bytes) {
    stream_.async_write_some(asio::buffer(bytes), [this](error_code error, std::size_t size) {
      written_.push_back({error, size});
    });
    run();
  }

  asio::io_context io_;
  const std::shared_ptr<Channel> channel_ = std::make_shared<Channel>();
  ChannelStream stream_{io_.get_executor(), channel_};
  std::string into_;
  std::optional<std::string> piece_;
  std::optional<Done> read_;
  std::vector<Done> written_;
};

TEST_F(ChannelStreamTest, ThePieceThatIsNextIsFetchedWhileThisOneIsTaken) {
  read(2);
  ASSERT_EQ(channel_->reads.size(), 1u);
  answer_read(std::string("abc"));
  EXPECT_EQ(into_, "ab");
  EXPECT_TRUE(channel_->reads.empty()) << "a piece of which some is left keeps the other side waiting";
  read(2);
  EXPECT_EQ(into_, "c");
  ASSERT_EQ(channel_->reads.size(), 1u);
  read_.reset();
  answer_read(std::string("de"));
  EXPECT_FALSE(read_) << "nobody has asked";
  EXPECT_TRUE(channel_->reads.empty()) << "one piece waits, and no more";
  read(9);
  EXPECT_EQ(into_, "de");
}

TEST_F(ChannelStreamTest, APieceIsHandedOnAsItCame) {
  read(2);
  answer_read(std::string("abcd"));
  EXPECT_EQ(into_, "ab");
  read_piece();
  EXPECT_EQ(piece_, "cd") << "what a read has left";
  ASSERT_EQ(channel_->reads.size(), 1u);
  answer_read(std::string("next"));
  read_piece();
  EXPECT_EQ(piece_, "next");
  read_piece();
  EXPECT_FALSE(piece_);
  answer_read(std::string("last"));
  EXPECT_EQ(piece_, "last");
  answer_read(std::string());
  for (int i = 0; i < 2; ++i) {
    read_piece();
    EXPECT_EQ(read_, (Done{asio::error::eof, 0}));
  }
  EXPECT_TRUE(channel_->reads.empty());
}

TEST_F(ChannelStreamTest, AnEndIsToldWhenAllThatCameIsTaken) {
  for (const bool cut : {false, true}) {
    SCOPED_TRACE(cut);
    const auto channel = std::make_shared<Channel>();
    ChannelStream stream(io_.get_executor(), channel);
    std::vector<Done> told;
    char bytes[8];
    const auto ask = [&] {
      stream.async_read_some(asio::buffer(bytes), [&](error_code error, std::size_t size) {
        told.push_back({error, size});
      });
      run();
    };
    ask();
    channel->reads[0](std::string("abc"));
    run();
    channel->reads[1](cut ? Result<std::string>(lost()) : Result<std::string>(std::string()));
    run();
    ask();
    ask();
    const error_code why = cut ? error_code(asio::error::connection_reset) : error_code(asio::error::eof);
    EXPECT_EQ(told, (std::vector<Done>{{{}, 3}, {why, 0}, {why, 0}}));
    EXPECT_EQ(channel->reads.size(), 2u) << "what has ended is asked no more";
  }
}

TEST_F(ChannelStreamTest, AWriteIsDoneWhenItsBytesAreTheChannelsNext) {
  write("one");
  EXPECT_EQ(written_, (std::vector<Done>{{{}, 3}}));
  write("second");
  EXPECT_EQ(written_.size(), 1u) << "the channel takes one at a time";
  EXPECT_EQ(channel_->said, (std::vector<std::string>{"one"}));
  answer_write({});
  EXPECT_EQ(written_, (std::vector<Done>{{{}, 3}, {{}, 6}}));
  EXPECT_EQ(channel_->said, (std::vector<std::string>{"one", "second"}));
}

TEST_F(ChannelStreamTest, AWriteThatFailsIsToldToTheOneThatFollows) {
  const error_code reset = asio::error::connection_reset;
  write("one");
  write("two");
  answer_write(lost());
  write("three");
  EXPECT_EQ(written_, (std::vector<Done>{{{}, 3}, {reset, 0}, {reset, 0}}));
  EXPECT_EQ(channel_->said, (std::vector<std::string>{"one"}));
}

TEST_F(ChannelStreamTest, TheEndComesBehindAllThatWasWritten) {
  write("one");
  write("two");
  stream_.finish();
  EXPECT_FALSE(channel_->finished);
  answer_write({});
  EXPECT_FALSE(channel_->finished);
  answer_write({});
  EXPECT_TRUE(channel_->finished);
  EXPECT_EQ(channel_->said, (std::vector<std::string>{"one", "two"}));
}

TEST_F(ChannelStreamTest, WhatIsUnderWayIsToldWhenItIsClosed) {
  const error_code aborted = asio::error::operation_aborted;
  read_piece();
  write("one");
  write("two");
  stream_.close();
  run();
  EXPECT_EQ(read_, (Done{aborted, 0}));
  read_.reset();
  read_piece();
  EXPECT_EQ(read_, (Done{aborted, 0})) << "it is closed already";
  piece_.reset();
  EXPECT_EQ(written_.back(), (Done{aborted, 0}));
  answer_read(std::string("late"));
  answer_write({});
  EXPECT_EQ(channel_->said, (std::vector<std::string>{"one"}));
  EXPECT_FALSE(piece_);
}

}  // namespace
}  // namespace berth::controller::api
