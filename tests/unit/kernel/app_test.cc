// Apps of a kernel and connections into it, by a helper that is a plain process.
#include "tests/support/helper_process.h"
#include "tests/support/inside_connection.h"
#include "tests/unit/kernel/temp_folder.h"

namespace berth::inside {
namespace {

class ConnectTest : public ::testing::Test {
 protected:
  HelperProcess helper_;
  const std::string& door_ = helper_.door;
};

TEST_F(ConnectTest, ASocketThatIsConnectedToAPortComesOut) {
  const Listener listener;
  const auto socket = connection(door_, connect_to(listener.port()));
  ASSERT_EQ(code_of(socket), "connected");
  const Descriptor other = listener.take();
  ASSERT_EQ(send(other.get(), "hello\n", 6, 0), 6);
  EXPECT_EQ(answer_to_line(*socket, "any"), "hello");
}

TEST_F(ConnectTest, APortOfTheOtherLoopbackAddressIsFoundToo) {
  const Listener listener("::1");
  if (!listener.works()) GTEST_SKIP() << "this machine has no IPv6";
  EXPECT_EQ(code_of(connection(door_, connect_to(listener.port()))), "connected");
}

TEST_F(ConnectTest, WhereNobodyListensThereIsNoConnection) {
  std::uint16_t port = 0;
  {
    const Listener listener;
    port = listener.port();
  }
  EXPECT_EQ(code_of(connection(door_, connect_to(port))), "port-not-open");
  const Listener elsewhere("127.0.0.2");
  EXPECT_EQ(code_of(connection(door_, connect_to(elsewhere.port()))), "port-not-open")
      << "it listens on another address";
  EXPECT_EQ(code_of(connection(door_, connect_to("nothing"))), "no-such-app");
  EXPECT_EQ(code_of(connection(door_, connect_to("no/name"))), "name-wrong");
}

TEST_F(ConnectTest, FiveHundredConnectionsAreOpenAtOnceAndTheHelperHoldsNone) {
  const Listener listener;
  std::vector<Descriptor> ours, others;
  for (int i = 0; i < 500; ++i) {
    auto socket = connection(door_, connect_to(listener.port()));
    ASSERT_EQ(code_of(socket), "connected") << i;
    ours.push_back(std::move(*socket));
    others.push_back(listener.take());
    ASSERT_TRUE(others.back());
  }
  std::error_code error;
  Talk parent(door_, sh("echo -n $PPID"));
  ASSERT_EQ(parent.await_end(), 0);
  const std::string open = "/proc/" + parent.out + "/fd";
  const auto held = [&] {
    return std::distance(std::filesystem::directory_iterator(open, error),
                         std::filesystem::directory_iterator());
  };
  for (int i = 0; i < 2000 && held() > 16; ++i) usleep(5000);
  EXPECT_LE(held(), 16);
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_EQ(send(ours[i].get(), "x", 1, MSG_NOSIGNAL), 1);
}

class AppTest : public ConnectTest {
 protected:
  ~AppTest() override {
    for (const std::string& name : names_) unlink(app_socket(name).c_str());
  }
  // Names are of this process alone: where sockets of apps lie is the same for all helpers of a machine.
  std::string name_of(const std::string& text) {
    names_.push_back(text + "-" + std::to_string(getpid()));
    return names_.back();
  }
  static bool await_state(Talk& talk, AppState state) {
    return talk.await([&] { return !talk.apps.empty() && talk.apps.back().state == state; });
  }
  std::vector<AppEntry> listed() const {
    Talk talk(door_, list_of_apps());
    EXPECT_EQ(talk.await_end(), 0);
    return talk.apps;
  }
  std::string process_of(const std::string& name) const {
    const auto socket = connection(door_, connect_to(name));
    if (!socket.ok()) return socket.error().code.word();
    const std::string answer = answer_to_line(*socket, "you");
    return answer.substr(0, answer.find(' '));
  }

  std::vector<std::string> names_;
};

TEST_F(AppTest, IsReadyWhenItListensOnItsSocketAndIsReachedByItsName) {
  const std::string name = name_of("echo");
  Talk talk(door_, app(name, echo_app()));
  ASSERT_TRUE(await_state(talk, AppState::kReady));
  EXPECT_TRUE(talk.begun->made);
  EXPECT_EQ(talk.apps.front().state, AppState::kStarting);
  EXPECT_GT(talk.apps.back().started_at, 0);
  EXPECT_TRUE(talk.await_out("listens\n"));
  const auto socket = connection(door_, connect_to(name));
  ASSERT_EQ(code_of(socket), "connected");
  EXPECT_TRUE(answer_to_line(*socket, "grüße").ends_with(" grüße"));
}

TEST_F(AppTest, IsReadyWhenItListensOnItsPort) {
  std::uint16_t port = 0;
  {
    const Listener listener;
    port = listener.port();
  }
  Talk talk(door_, app(name_of("port"), echo_app(), port));
  ASSERT_TRUE(await_state(talk, AppState::kReady));
  EXPECT_EQ(code_of(connection(door_, connect_to(port))), "connected");
  EXPECT_EQ(code_of(connection(door_, connect_to(names_[0]))), "connected");
  EXPECT_EQ(talk.apps.back().port, port);
}

TEST_F(AppTest, ListensOnTheSocketThatItWasTold) {
  const agents::TempFolder folder;
  Request request = app(name_of("elsewhere"), echo_app());
  request.socket = folder.path + "/sockets/a.sock";
  Talk talk(door_, request);
  ASSERT_TRUE(await_state(talk, AppState::kReady));
  EXPECT_EQ(code_of(connection(door_, connect_to(names_[0]))), "connected");
  EXPECT_TRUE(std::filesystem::is_socket(request.socket));
  Request strange = app(name_of("nowhere"), echo_app());
  strange.socket = "/proc/sockets/a.sock";
  EXPECT_EQ(Talk(door_, strange).await_problem(), "app-folder");
}

TEST_F(AppTest, HasATokenOfItsOwnAtEachStartWhichComesWithConnectionsByItsNameAlone) {
  Request request =
      app(name_of("token"), echo_app("import os; print(os.environ['APP_TOKEN'], flush=True)\n"));
  request.env = {"APP_TOKEN=mine", "A=B"};
  request.token_variable = "APP_TOKEN";
  const auto token_of = [&] {
    const auto got = connected(door_, connect_to(names_[0]));
    return got.ok() ? got->token : got.error().code.word();
  };
  std::string first;
  {
    Talk talk(door_, request);
    ASSERT_TRUE(await_state(talk, AppState::kReady));
    ASSERT_TRUE(talk.await_out("listens\n"));
    first = token_of();
    EXPECT_EQ(first.size(), kTokenSize);
    EXPECT_EQ(first.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_EQ(talk.out.substr(0, talk.out.find('\n')), first);
    EXPECT_TRUE(talk.begun->token.empty());
    EXPECT_EQ(token_of(), first);
    EXPECT_EQ(Talk(door_, end_of_app(names_[0])).await_end(), 143);
  }
  Talk again(door_, request);
  ASSERT_TRUE(await_state(again, AppState::kReady));
  EXPECT_EQ(token_of().size(), kTokenSize);
  EXPECT_NE(token_of(), first);
  Talk without(door_, app(name_of("without"), echo_app()));
  ASSERT_TRUE(await_state(without, AppState::kReady));
  const auto plain = connected(door_, connect_to(names_[1]));
  EXPECT_TRUE(plain.ok() && plain->token.empty());
}

TEST_F(AppTest, IsEndedAndWhoAskedHearsWhenItIsGone) {
  const std::string name = name_of("end");
  Talk talk(door_, app(name, {"sh", "-c", "trap 'echo bye; exit 4' TERM; echo up; sleep 60 & wait"}));
  ASSERT_TRUE(talk.await_out("up\n"));
  Talk end(door_, end_of_app(name));
  EXPECT_EQ(end.await_end(), 4);
  EXPECT_TRUE(end.begun.has_value());
  EXPECT_EQ(talk.await_end(), 4);
  EXPECT_TRUE(talk.out.ends_with("bye\n"));
  EXPECT_EQ(Talk(door_, end_of_app(name)).await_end(), 4) << "it has ended already";
  EXPECT_EQ(Talk(door_, end_of_app("never-started")).await_problem(), "no-such-app");
}

TEST_F(AppTest, ThatStaysWhenAskedToEndIsKilledEvenIfNobodyWaits) {
  const std::string name = name_of("stays");
  Talk talk(door_, app(name, {"sh", "-c", "trap '' TERM; echo up; while true; do sleep 1; done"}));
  ASSERT_TRUE(talk.await_out("up\n"));
  { EXPECT_TRUE(Talk(door_, end_of_app(name)).await_begun()); }
  EXPECT_EQ(talk.await_end(), 137);
  EXPECT_EQ(talk.apps.back().signal, SIGKILL);
}

TEST_F(AppTest, AskedForTwiceIsOneProcessAndOutlivesBothChannels) {
  const std::string name = name_of("twice");
  std::string process;
  {
    Talk one(door_, app(name, echo_app())), two(door_, app(name, echo_app()));
    ASSERT_TRUE(await_state(one, AppState::kReady) && await_state(two, AppState::kReady));
    EXPECT_NE(one.begun->made, two.begun->made);
    process = process_of(name);
  }
  Talk again(door_, app(name, echo_app()));
  ASSERT_TRUE(again.await_out("listens\n"));
  EXPECT_EQ(again.out, "process " + process + " listens\n");
  EXPECT_EQ(again.begun->scrollback, again.out.size());
  EXPECT_EQ(process_of(name), process);
  ASSERT_EQ(listed().size(), 1u);
  EXPECT_EQ(listed()[0].restarts, 0u);
}

TEST_F(AppTest, ThatEndsAtOnceShowsWhatItPrintedAndHowItEnded) {
  const std::string name = name_of("broken");
  const Request broken = app(name, {"sh", "-c", "echo out; echo why >&2; exit 3"});
  Talk talk(door_, broken);
  EXPECT_EQ(talk.await_end(), 3);
  EXPECT_NE(talk.out.find("why\n"), std::string::npos);
  ASSERT_FALSE(talk.apps.empty());
  EXPECT_EQ(talk.apps.back().state, AppState::kEnded);
  EXPECT_EQ(talk.apps.back().code, 3);
  Request look = broken;
  look.existing = true;
  Talk later(door_, look);
  EXPECT_EQ(later.await_end(), 3);
  EXPECT_FALSE(later.begun->made);
  EXPECT_EQ(later.out, talk.out);
  ASSERT_EQ(listed().size(), 1u);
  EXPECT_NE(listed()[0].log.find("why\n"), std::string::npos);
  EXPECT_EQ(code_of(connection(door_, connect_to(name))), "app-ended");
  look.name = "never-started";
  EXPECT_EQ(Talk(door_, look).await_problem(), "no-such-app");
}

TEST_F(AppTest, ThatNeverListensStaysStartingAndIsInNobodysWay) {
  const std::string name = name_of("deaf");
  Talk talk(door_, app(name, {"sh", "-c", "echo thinking; exec sleep 60"}));
  ASSERT_TRUE(talk.await_out("thinking\n"));
  EXPECT_EQ(Talk(door_, exec({"true"})).await_end(), 0);
  EXPECT_EQ(code_of(connection(door_, connect_to(name))), "port-not-open");
  ASSERT_EQ(listed().size(), 1u);
  EXPECT_EQ(listed()[0].state, AppState::kStarting);
  EXPECT_EQ(talk.apps.size(), 1u);
}

TEST_F(AppTest, ThatWasKilledIsStartedAgainByTheNextWhoAsks) {
  const std::string name = name_of("killed");
  Talk talk(door_, app(name, echo_app("import os\nif os.fork() == 0: import time; time.sleep(60)\n")));
  ASSERT_TRUE(await_state(talk, AppState::kReady));
  const std::string before = process_of(name);
  kill(static_cast<pid_t>(std::stol(before)), SIGKILL);
  EXPECT_EQ(talk.await_end(), 137);
  EXPECT_EQ(talk.apps.back().signal, SIGKILL);
  Talk again(door_, app(name, echo_app()));
  ASSERT_TRUE(await_state(again, AppState::kReady));
  EXPECT_TRUE(again.begun->made);
  EXPECT_EQ(again.apps.back().restarts, 1u);
  EXPECT_NE(process_of(name), before);
}

TEST_F(AppTest, KeepsTheNewestOfWhatItPrints) {
  const std::string name = name_of("flood");
  // Not read while it prints, so that it is the log that bounds it.
  Talk talk(door_, app(name, {"sh", "-c", "seq -f %099.0f 100000; echo rea''dy; exec sleep 60"}));
  ASSERT_TRUE(talk.await_out("ready\n"));
  Talk late(door_, app(name, {"unused"}));
  ASSERT_TRUE(late.await_out("ready\n"));
  EXPECT_LE(late.out.size(), kAppLogMax);
  EXPECT_GT(late.out.size(), kAppLogMax / 2);
  EXPECT_EQ(late.begun->lost + late.out.size(), 100u * 100'000 + 6);
  EXPECT_LT(helper_.memory(), 8 << 20);
  ASSERT_EQ(listed().size(), 1u);
  EXPECT_TRUE(listed()[0].log.ends_with("ready\n"));
  EXPECT_EQ(listed()[0].log.size(), kAppTailMax);
}

TEST_F(AppTest, EndsWhenItsHelperDiesSinceTheNextOneKnowsNothingOfIt) {
  const std::string name = name_of("orphan");
  Talk talk(door_, app(name, {"sh", "-c", "echo $$; exec sleep 60"}));
  ASSERT_TRUE(talk.await_out("\n"));
  const auto process = static_cast<pid_t>(std::stol(talk.out));
  helper_.end();
  for (int i = 0; i < 2000 && kill(process, 0) == 0; ++i) usleep(5000);
  EXPECT_NE(kill(process, 0), 0);
}

TEST_F(AppTest, BoundsAreKeptAndSaid) {
  for (const std::uint16_t port : {2000, 2001, 2200, 7681})
    EXPECT_EQ(Talk(door_, app("x", {"true"}, port)).await_problem(), "port-refused");
  EXPECT_EQ(Talk(door_, app("x", {})).await_problem(), "arguments-missing");
  EXPECT_EQ(Talk(door_, app("../x", {"true"})).await_problem(), "name-wrong");
  EXPECT_EQ(Talk(door_, app("x", {"no-such-program"})).await_problem(), "program-not-found");
  EXPECT_TRUE(listed().empty());
  std::vector<std::unique_ptr<Talk>> open;
  for (int i = 0; i < 32; ++i) {
    open.push_back(
        std::make_unique<Talk>(door_, app(name_of("a" + std::to_string(i)), {"sh", "-c", "read x"})));
    ASSERT_TRUE(open.back()->await_begun());
    EXPECT_EQ(open.back()->await_end(), 1) << "nobody types";
  }
  EXPECT_EQ(listed().size(), 32u);
  for (int i = 0; i < 32; ++i) {
    open.push_back(std::make_unique<Talk>(door_, app(name_of("b" + std::to_string(i)), {"sleep", "60"})));
    ASSERT_TRUE(open.back()->await_begun());
  }
  EXPECT_EQ(listed().size(), 32u) << "they take the places of those that ended";
  EXPECT_EQ(Talk(door_, app(name_of("one-more"), {"sleep", "60"})).await_problem(), "too-many-apps");
}

}  // namespace
}  // namespace berth::inside
