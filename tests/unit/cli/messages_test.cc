// What is said to who does not know the way yet: help, and the messages that name what there is.
#include <gtest/gtest.h>

#include "controller/placement/types.h"
#include "ops/cli/command/policy_words.h"
#include "ops/cli/events/event_types.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

TEST(Help, OfACommandIsThatOfItsOption) {
  FakeWorld w;
  for (const auto& words :
       std::vector<std::vector<std::string>>{{}, {"session"}, {"session", "run"}, {"ps"}}) {
    auto help = words, option = words;
    help.insert(help.begin(), "help");
    option.emplace_back("--help");
    const auto ran = w.run(help);
    EXPECT_EQ(ran.exit, kOk);
    EXPECT_EQ(ran.out, w.run(option).out);
    EXPECT_NE(ran.out.find("Exit codes"), std::string::npos);
  }
}

TEST(Help, OfANounHasNoExamplesOfAnother) {
  FakeWorld w;
  const std::string help = w.run({"help", "image"}).out;
  EXPECT_EQ(help.find("berth session"), std::string::npos) << help;
  EXPECT_NE(help.find("`berth image VERB --help` has examples"), std::string::npos) << help;
  EXPECT_NE(w.run({"session", "ls", "--frm"}).err.find("'berth session ls' has no option"),
            std::string::npos);
}

TEST(Help, OfNoCommandSuggestsOne) {
  FakeWorld w;
  const auto ran = w.run({"help", "session", "sohw"});
  EXPECT_EQ(ran.exit, kUsage);
  EXPECT_EQ(ran.err, "berth: 'berth session sohw' is no command\n  hint: did you mean 'show'?\n");
  EXPECT_EQ(w.run({"-q", "help"}).exit, kUsage);
}

TEST(BareRun, NamesTheImagesAndPresetsThatThereAre) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest& request) -> Result<HttpReply> {
    return json_reply(
        request.target.starts_with("/v1/images")
            ? R"({"images": [{"reference": "python:3.11"}], "next_page_token": null})"
            : R"({"presets": [{"name": "small"}, {"name": "large"}], "next_page_token": null})");
  };
  const auto ran = w.run({"session", "run"});
  EXPECT_EQ(ran.exit, kUsage);
  EXPECT_EQ(ran.err,
            "berth: nothing is asked for: a session needs an image, and how much CPU and memory\n"
            "  hint: for example: berth session run --image python:3.11 --cpu 1 --mem 512m; images here: "
            "python:3.11; "
            "presets (--preset NAME) here: small, large\n");
}

TEST(BareRun, NeedsNoServerToSayWhatIsMissing) {
  FakeWorld w;
  w.keys.clear();
  const auto ran = w.run({"run"});
  EXPECT_EQ(ran.exit, kUsage);
  EXPECT_NE(ran.err.find("for example: berth session run --image python:3.11 --cpu 1 --mem 512m\n"),
            std::string::npos)
      << ran.err;
}

TEST(GroupSet, NamesThePoliciesThatThereAreAndWhatWasMeant) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest& request) -> Result<HttpReply> {
    return request.method == "GET" ? json_reply(R"({"groups": []})")
                                   : problem(400, "unknown-policy", "no such");
  };
  const auto ran = w.run({"group", "set", "g", "--head-of-line", "backfill"});
  EXPECT_EQ(ran.exit, kUsage);
  EXPECT_NE(ran.err.find("--head-of-line is strict, skip-after-n=N or greedy; backfill is of --order: "
                         "berth group set g --order backfill"),
            std::string::npos)
      << ran.err;
  EXPECT_NE(w.run({"group", "set", "g", "--select", "concentrate"}).err.find("did you mean concentrated?"),
            std::string::npos);
}

// The words stand in the CLI for people; the scheduler's own parsers say whether they are right.
TEST(GroupSet, KnowsNoPolicyThatTheSchedulerDoesNot) {
  const auto check = [](std::size_t option, auto parse, auto value) {
    for (const std::string word : policy_words()[option].words)
      EXPECT_TRUE(parse(word.substr(0, word.find('=')), &value)) << word;
  };
  ASSERT_EQ(policy_words().size(), 3u);
  check(0, placement::parse_order, placement::Order{});
  check(1, placement::parse_head_of_line, placement::HeadOfLine{});
  check(2, placement::parse_select, placement::Select{});
}

TEST(Events, OfLsAreThoseThatThereAre) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(json_reply(R"({"events": [], "next_page_token": null, "position": 7})"));
  };
  EXPECT_EQ(w.run({"event", "ls", "--type", "SessionScheduled"}).exit, kOk);
  EXPECT_EQ(w.server.requests.size(), 1u);
}

TEST(Until, SaysThatTheEventDidNotCome) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) { return json_reply(R"({"position": 41})"); };
  w.server.stream_error = make_error("reply-timeout", "no answer in time");
  const auto ran = w.run({"event", "tail", "--until", "SessionScheduled", "--timeout", "5s"});
  EXPECT_EQ(ran.exit, kTimeout);
  EXPECT_NE(ran.err.find("waiting for the first SessionScheduled"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("no SessionScheduled came within 5s"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("--from begin"), std::string::npos) << ran.err;
}

TEST(Until, CutsWhatIsThereBehindTheFirstOfItsType) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return json_reply(
        R"({"events": [{"id": "1-0", "type": "LimitSet"}, {"id": "2-0", "type": "PresetDefined"},
                                     {"id": "3-0", "type": "LimitSet"}], "next_page_token": null})");
  };
  const std::vector<std::string> line{"event", "tail", "--no-follow", "-o", "name", "--until"};
  auto words = line;
  words.emplace_back("PresetDefined");
  EXPECT_EQ(w.run(words).out, "1-0\n2-0\n");
  words.back() = "SessionScheduled";
  const auto missing = w.run(words);
  EXPECT_EQ(missing.exit, kNotFound);
  EXPECT_EQ(missing.out, "1-0\n2-0\n3-0\n");
  EXPECT_NE(missing.err.find("no SessionScheduled came so far; 3 events of other types did"),
            std::string::npos)
      << missing.err;
}

TEST(Until, RefusesATypeThatCannotCome) {
  FakeWorld w;
  const auto unknown = w.run({"event", "tail", "--until", "SessionSheduled"});
  EXPECT_EQ(unknown.exit, kUsage);
  EXPECT_NE(unknown.err.find("did you mean SessionScheduled?"), std::string::npos) << unknown.err;
  EXPECT_EQ(w.run({"event", "tail", "--until", "LimitSet", "--type", "PresetDefined"}).exit, kUsage);
  EXPECT_TRUE(w.server.requests.empty());
}

}  // namespace
}  // namespace berth::cli
