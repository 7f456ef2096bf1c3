// Ways into kernels: the log says who opened one, and the state stays as it was.
#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

Events one_runs() {
  return definitions() + agent("a1") +
         Events{session_requested("s1"), session_scheduled("s1", "a1"), kernel_running(kernel_name("s1"))};
}

TEST(KernelOpened, ChangesNoRowButThatOfTheRequestThatItAnswers) {
  Given g = given(one_runs());
  const std::string before = dump(g.state());
  g.when({kernel_opened("s1", "shell", "main")}).then_applied();
  const auto rows = [](std::string text) {  // without the epoch's, which every record changes
    std::string out;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      if (const std::string line = text.substr(at, text.find('\n', at) - at); !line.starts_with("13 "))
        out += line + "\n";
    return out;
  };
  EXPECT_EQ(rows(dump(g.state())), rows(before));
  g.when({answering(kernel_opened("s1"), "user:alice", "r1")}).then_applied();
  EXPECT_NE(g.request("user:alice", "r1"), nullptr);
}

TEST(KernelOpened, IsOfAKernelOfThatSessionAndOfAUserWhoIsThere) {
  Given g = given(one_runs() + Events{session_requested("s2"), user_defined("bob")});
  v1::Event elsewhere = kernel_opened("s1"), again = elsewhere;
  elsewhere.mutable_kernel_opened()->set_session_id(wire("s2"));
  again.mutable_kernel_opened()->set_attempt(2);
  for (const v1::Event& event : {elsewhere, again, kernel_opened("s2"), kernel_opened("nobody")})
    g.when({event}).then_forbidden("no such kernel and attempt of that session").when_elected();
  g.when({kernel_opened("s1", "exec", "", "nobody")}).then_forbidden("no user is named").when_elected();
  g.when({kernel_opened("s1", "exec", "", "bob")}).then_applied();
}

TEST(KernelOpened, IsByAWayThatExists) {
  Given g = given(one_runs());
  for (const char* kind : {"window", ""})
    g.when({kernel_opened("s1", kind)})
        .then_forbidden("a way into a kernel that does not exist")
        .when_elected();
}

}  // namespace
}  // namespace berth::testing
