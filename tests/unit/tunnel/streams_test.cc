// Streams of one connection: bodies, flow control, half-close, reset.
#include <algorithm>

#include "tests/unit/tunnel/rig.h"

namespace berth::tunnel {
namespace {

class TunnelStreams : public TunnelTest {
 protected:
  TunnelStreams() { connect(serve()); }
};

TEST_F(TunnelStreams, AQuestionAndItsAnswerArriveWithTheirHeaders) {
  const auto near = open({"POST", "/kernels/7/exec?tty=1", {{"x-user", "ann"}, {"x-columns", "80"}}});
  ASSERT_TRUE(until([&] { return !asked.empty(); }));
  const Question& question = asked.front().question;
  EXPECT_EQ(question.method, "POST");
  EXPECT_EQ(question.path, "/kernels/7/exec?tty=1");
  EXPECT_EQ(question.headers, (Headers{{"x-user", "ann"}, {"x-columns", "80"}}));
  asked.front().stream->answer({404, {{"x-code", "unknown-kernel"}}});
  ASSERT_TRUE(until([&] { return near->answer.calls() == 1; }));
  ASSERT_TRUE(near->answer.ok());
  EXPECT_EQ(near->answer.result()->status, 404);
  EXPECT_EQ(near->answer.result()->headers, (Headers{{"x-code", "unknown-kernel"}}));
}

TEST_F(TunnelStreams, EachSideMayEndItsBodyFirst) {
  for (const bool client_first : {true, false}) {
    const auto [near, far] = pair();
    Stream& first = client_first ? *near->stream : *far;
    Stream& second = client_first ? *far : *near->stream;
    ASSERT_TRUE(write(first, "one").ok());
    first.finish();
    EXPECT_EQ(*read(second), "one");
    EXPECT_EQ(*read(second), "");
    EXPECT_EQ(*read(second), "") << "the end stays the end";
    ASSERT_TRUE(write(second, "two").ok());
    EXPECT_EQ(*read(first), "two");
    EXPECT_EQ(near->over.calls(), 0);
    second.finish();
    EXPECT_EQ(*read(first), "");
    ASSERT_TRUE(until([&over = near->over] { return over.calls() == 1; }));
    EXPECT_TRUE(near->over.ok());
  }
  EXPECT_TRUE(until([&] { return client->counts().streams == 0 && server->counts().streams == 0; }));
}

TEST_F(TunnelStreams, WhatCameBeforeTheEndIsReadAfterIt) {
  const auto [near, far] = pair();
  near->stream->finish();
  ASSERT_TRUE(write(*far, "last words").ok());
  far->finish();
  ASSERT_TRUE(until([&over = near->over] { return over.calls() == 1; }));
  EXPECT_EQ(*read(*near->stream), "last words");
  EXPECT_EQ(*read(*near->stream), "");
}

TEST_F(TunnelStreams, AWriteAfterTheEndOfTheBodyIsRefused) {
  const auto [near, far] = pair();
  near->stream->finish();
  EXPECT_EQ(write(*near->stream, "more").error().code, kBodyEnded);
}

TEST_F(TunnelStreams, AResetOfEitherSideReachesAllHandlersOfTheOther) {
  for (const bool by_client : {true, false}) {
    const auto [near, far] = pair();
    Stream& who = by_client ? *near->stream : *far;
    Stream& other = by_client ? *far : *near->stream;
    Outcome<std::string> reading;
    Outcome<void> writing;
    Outcome<void> over;
    other.read(reading.take());
    other.write(std::string(kBufferedBytesMax, 'x'), writing.take());  // more than the first window
    if (by_client) other.when_over(over.take());
    who.reset(42);
    ASSERT_TRUE(until([&] { return reading.calls() == 1; }));
    EXPECT_EQ(reading.code(), kReset);
    EXPECT_NE(reading.result().error().message.find("code 42"), std::string::npos);
    ASSERT_TRUE(until(
        [&, &near_over = near->over] { return by_client ? over.calls() == 1 : near_over.calls() == 1; }));
    EXPECT_EQ(by_client ? over.code() : near->over.code(), kReset);
    EXPECT_EQ(read(other).error().code, kReset);
    EXPECT_EQ(write(other, "x").error().code, kReset);
    EXPECT_EQ(reading.calls(), 1);
  }
  const auto [near, far] = pair();
  ASSERT_TRUE(write(*far, "others go on").ok());
  EXPECT_EQ(*read(*near->stream), "others go on");
}

// As an answer, behind which its app closes the connection with bytes of the asker unread.
TEST_F(TunnelStreams, WhatWasSaidBeforeAResetIsReadAndWhatOneResetsOneselfIsNot) {
  for (const bool by_other : {true, false}) {
    SCOPED_TRACE(by_other);
    const auto [near, far] = pair();
    ASSERT_TRUE(write(*far, "said").ok());
    (by_other ? *far : *near->stream).reset();
    ASSERT_TRUE(until([&, &over = near->over] { return over.calls() == 1; }));
    if (by_other) { EXPECT_EQ(*read(*near->stream), "said"); }
    for (int i = 0; i < 2; ++i) EXPECT_EQ(read(*near->stream).error().code, kReset);
  }
}

TEST_F(TunnelStreams, AStreamWhoseHandleGoesIsReset) {
  auto [near, far] = pair();
  Outcome<std::string> reading;
  far->read(reading.take());
  near->stream = nullptr;
  ASSERT_TRUE(until([&] { return reading.calls() == 1; }));
  EXPECT_EQ(reading.code(), kReset);
  const auto unanswered = open();
  ASSERT_TRUE(until([&] { return !asked.empty(); }));
  asked.clear();
  ASSERT_TRUE(until([&] { return unanswered->answer.calls() == 1; }));
  EXPECT_EQ(unanswered->answer.code(), kReset);
}

// libnghttp2 takes 1,000 resets, and 33 a second after these, then ends the connection with all its streams.
TEST_F(TunnelStreams, ThousandsThatAreResetCutNobody) {
  const auto [kept, far_of_kept] = pair();
  for (int i = 0; i < 2'500; ++i) {
    auto [near, far] = pair();
    near->stream = nullptr;
    ASSERT_TRUE(until([&] { return client->counts().streams == 1 && server->counts().streams == 1; })) << i;
  }
  ASSERT_TRUE(write(*kept->stream, "still here").ok());
  EXPECT_EQ(*read(*far_of_kept), "still here");
  EXPECT_EQ(server->counts().broken, 0u);
}

TEST_F(TunnelStreams, WhatIsAskedOfAConnectionThatTakesNothingNewGetsAnother) {
  Limits limits;
  limits.resets_max = 3;
  connect(serve(agent_signer(), limits));
  const auto [kept, far_of_kept] = pair();
  // What was asked before the client heard of it is refused.
  for (int served = 0; served < 8;) {
    auto near = open();
    ASSERT_TRUE(until([&] { return !asked.empty() || near->answer.calls() == 1; })) << served;
    if (!asked.empty()) ++served;
    asked.clear();
    near->stream = nullptr;
    ASSERT_TRUE(until([&] { return client->counts().streams == 1 && server->counts().streams == 1; }))
        << served;
  }
  ASSERT_TRUE(write(*kept->stream, "still here").ok());
  EXPECT_EQ(*read(*far_of_kept), "still here");
  kept->stream->finish();
  far_of_kept->finish();
  ASSERT_TRUE(until([&over = kept->over] { return over.calls() == 1; }));
  EXPECT_TRUE(until([&] { return client->counts().connections < 2; })) << "none is kept without a stream";
}

TEST_F(TunnelStreams, ACutIsToldToAllThoughTheClientIsGone) {
  const auto [near, far] = pair();
  const auto unanswered = open();
  Outcome<std::string> reading;
  near->stream->read(reading.take());
  client->cut(make_error(kLost, "moved"));
  const auto late = open();
  client = nullptr;
  ASSERT_TRUE(
      until([&] { return reading.calls() + unanswered->answer.calls() + late->answer.calls() == 3; }));
  for (const auto& error :
       {reading.result().error(), unanswered->answer.result().error(), late->answer.result().error()})
    EXPECT_EQ(error.message, "moved");
}

TEST_F(TunnelStreams, WhatWasWrittenArrivesThoughTheHandleGoesAfterTheEnd) {
  auto [near, far] = pair();
  ASSERT_TRUE(write(*near->stream, "a body that nobody reads").ok());
  far->write(std::string(kBufferedBytesMax, 'x'), [](Result<void>) {});
  far->finish();
  far = nullptr;
  std::size_t came = 0;
  for (auto bytes = *read(*near->stream); !bytes.empty(); bytes = *read(*near->stream)) came += bytes.size();
  EXPECT_EQ(came, kBufferedBytesMax);
  ASSERT_TRUE(until([&over = near->over] { return over.calls() == 1; }));
  EXPECT_TRUE(near->over.ok());
  EXPECT_EQ(write(*near->stream, "more").error().code, kReset);
  EXPECT_TRUE(until([&] { return server->counts().streams == 0; }));
}

TEST_F(TunnelStreams, AnAnswerThatCannotBeSentResetsTheStream) {
  for (const Answer& answer : {Answer{99, {}}, Answer{200, {{"Upper", "case"}}}}) {
    const auto near = open();
    ASSERT_TRUE(until([&] { return !asked.empty(); }));
    asked.front().stream->answer(answer);
    ASSERT_TRUE(until([&] { return near->answer.calls() == 1; }));
    EXPECT_EQ(near->answer.code(), kReset);
    asked.clear();
  }
}

TEST_F(TunnelStreams, OneReadAndOneWriteAtATimeAndNoneTooLarge) {
  const auto [near, far] = pair();
  Outcome<std::string> waits;
  near->stream->read(waits.take());
  EXPECT_EQ(read(*near->stream).error().code, kTooMuchAtOnce);
  EXPECT_EQ(write(*near->stream, std::string(kBufferedBytesMax + 1, 'x')).error().code, kTooMuchAtOnce);
  ASSERT_TRUE(write(*near->stream, std::string(kBufferedBytesMax / 2, 'x')).ok());
  Outcome<void> stalls;
  near->stream->write(std::string(kBufferedBytesMax, 'x'), stalls.take());
  EXPECT_EQ(write(*near->stream, "x").error().code, kTooMuchAtOnce);
  EXPECT_EQ(stalls.calls(), 0);
  ASSERT_TRUE(write(*far, "x").ok());
  ASSERT_TRUE(until([&] { return waits.calls() == 1; }));
}

TEST_F(TunnelStreams, QuestionsThatHttpCannotCarryAreRefusedAndHarmNobody) {
  const std::vector<Question> bad = {{"", "/", {}},
                                     {"GET", "", {}},
                                     {"GET", "no-slash", {}},
                                     {"CONNECT", "/", {}},
                                     {"GET", "/a b", {}},
                                     {"GET", "/", {{"Upper", "x"}}},
                                     {"GET", "/", {{":path", "/other"}}},
                                     {"GET", "/", {{"x", "a\nb"}}}};
  for (const Question& question : bad) {
    const auto near = open(question);
    ASSERT_TRUE(until([&] { return near->over.calls() == 1; }));
    EXPECT_EQ(near->answer.code(), kHeadersInvalid) << question.path;
    EXPECT_EQ(near->over.code(), kHeadersInvalid);
  }
  const auto large = open({"GET", "/", {{"x", std::string(kHeaderBytesMax, 'x')}}});
  ASSERT_TRUE(until([&] { return large->answer.calls() == 1; }));
  EXPECT_EQ(large->answer.code(), kHeadersTooLarge);
  const std::string nearly(kHeaderBytesMax - 1024, '~');  // the worst to code
  const auto fits = open({"GET", "/", {{"x", nearly}}});
  ASSERT_TRUE(until([&] { return !asked.empty() || fits->answer.calls() == 1; }));
  ASSERT_EQ(asked.size(), 1u) << fits->answer.code();
  EXPECT_EQ(asked.front().question.headers[0].second, nearly);
}

// Reads a body a piece at a time, with `rounds` of other work between two pieces.
class SlowReader {
 public:
  SlowReader(asio::io_context& io, Stream& stream, int rounds) : io_(io), stream_(stream), rounds_(rounds) {}
  void start() {
    stream_.read([this](Result<std::string> bytes) {
      ASSERT_TRUE(bytes.ok());
      largest = std::max(largest, bytes->size());
      for (const char byte : *bytes) intact = intact && byte == static_cast<char>(size++ % 251);
      ended = bytes->empty();
      if (!ended) rest(rounds_);
    });
  }
  bool ended = false;
  bool intact = true;
  std::size_t size = 0;
  std::size_t largest = 0;

 private:
  void rest(int rounds) {
    if (rounds == 0) return start();
    asio::post(io_, [this, rounds] { rest(rounds - 1); });
  }
  asio::io_context& io_;
  Stream& stream_;
  const int rounds_;
};

TEST_F(TunnelStreams, SixtyFourMebibytesComeBackWholeThroughASlowReaderWithBoundedMemory) {
  constexpr std::size_t kSize = 64u << 20;
  constexpr std::size_t kPiece = 100'000;
  const auto near = open({"POST", "/echo", {}});
  std::size_t written = 0;
  std::size_t ahead = 0;     // bytes on their way at most
  std::size_t buffered = 0;  // at both ends, at most
  SlowReader reader(io, *near->stream, 200);
  std::function<void(Result<void>)> next = [&](Result<void> done) {
    ASSERT_TRUE(done.ok());
    ahead = std::max(ahead, written - reader.size);
    buffered = std::max({buffered, client->counts().buffered, server->counts().buffered});
    if (written == kSize) return near->stream->finish();
    std::string piece(std::min(kPiece, kSize - written), '\0');
    for (char& byte : piece) byte = static_cast<char>(written++ % 251);
    near->stream->write(std::move(piece), next);
  };
  next({});
  reader.start();
  ASSERT_TRUE(until([&] { return reader.ended; }));
  EXPECT_EQ(reader.size, kSize);
  EXPECT_TRUE(reader.intact);
  EXPECT_LE(reader.largest, kReadBytesMax);
  EXPECT_LE(ahead, 4 * kBufferedBytesMax) << "in and out, there and back";
  EXPECT_LE(buffered, 2 * kBufferedBytesMax) << "a direction each";
  EXPECT_GT(ahead, kBufferedBytesMax) << "the reader was not slow";
  EXPECT_TRUE(until([&] { return client->counts().buffered == 0 && server->counts().buffered == 0; }));
}

TEST_F(TunnelStreams, WhoNeverReadsStopsItsOwnStreamAlone) {
  std::vector<std::pair<std::unique_ptr<Opened>, std::shared_ptr<Stream>>> stuck;
  std::vector<std::size_t> sent(100);
  std::function<void(std::size_t)> flood = [&](std::size_t at) {
    stuck[at].second->write(std::string(50'000, 'x'), [&, at](Result<void> done) {
      if (!done) return;
      sent[at] += 50'000;
      flood(at);
    });
  };
  for (std::size_t i = 0; i < sent.size(); ++i) stuck.push_back(pair());
  for (std::size_t i = 0; i < sent.size(); ++i) flood(i);
  const auto all_stand = [&] {
    return std::all_of(sent.begin(), sent.end(), [](std::size_t size) { return size == 250'000; });
  };
  ASSERT_TRUE(until(all_stand)) << "five writes fit into the window of 262,144, the sixth waits";
  const auto [near, far] = pair();
  for (int i = 0; i < 100; ++i) {
    Outcome<void> writing;
    far->write(std::string(kBufferedBytesMax, 'y'), writing.take());
    for (std::size_t came = 0; came < kBufferedBytesMax;) came += read(*near->stream)->size();
    EXPECT_TRUE(writing.ok());
  }
  EXPECT_TRUE(all_stand());
  EXPECT_LE(client->counts().buffered, 101 * kBufferedBytesMax);
}

TEST_F(TunnelStreams, AThousandAtOnceEachGetTheirOwn) {
  struct Exchange {
    std::unique_ptr<Opened> opened;
    std::string got;
    bool ended = false;
  };
  std::vector<Exchange> exchanges(1000);
  std::function<void(Exchange&)> read_all = [&](Exchange& one) {
    one.opened->stream->read([&](Result<std::string> bytes) {
      ASSERT_TRUE(bytes.ok());
      one.ended = bytes->empty();
      one.got += *bytes;
      if (!one.ended) read_all(one);
    });
  };
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    exchanges[i].opened = open({"POST", "/echo", {}});
    exchanges[i].opened->stream->write("hello from " + std::to_string(i), exchanges[i].opened->write.take());
  }
  ASSERT_TRUE(until([&] { return client->counts().streams == 1000; }));
  EXPECT_EQ(client->counts().connections, 1u);
  for (auto& one : exchanges) {
    one.opened->stream->finish();
    read_all(one);
  }
  ASSERT_TRUE(until([&] {
    return std::all_of(exchanges.begin(), exchanges.end(), [](const auto& one) { return one.ended; });
  }));
  for (std::size_t i = 0; i < exchanges.size(); ++i)
    EXPECT_EQ(exchanges[i].got, "hello from " + std::to_string(i));
  EXPECT_TRUE(until([&] { return server->counts().streams == 0; }));
}

TEST_F(TunnelStreams, OneMoreThanTheLimitIsRefusedUntilOneEnds) {
  Limits few;
  few.streams_max = 3;
  connect(serve(agent_signer(), few), agent_signer(), few);
  std::vector<std::pair<std::unique_ptr<Opened>, std::shared_ptr<Stream>>> held;
  for (int i = 0; i < 3; ++i) held.push_back(pair());
  EXPECT_EQ(error_of_a_stream(), kTooManyStreams);
  held.pop_back();
  ASSERT_TRUE(until([&] { return client->counts().streams == 2; }));
  held.push_back(pair());
}

}  // namespace
}  // namespace berth::tunnel
