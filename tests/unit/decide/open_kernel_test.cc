// Who may open a way into a kernel, into which, and what of it stands in the log.
#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

// s1 of alice runs on a1; bob is of her project.
Events owned_session() { return world_of_all_roles() + running("s1", "a1"); }

std::string open_refusal(const v1::Request& r, const Events& more = {}) {
  Case c = given(owned_session() + more);
  c.when(r);
  return word_of(c.decided().at(0).request_refused().code());
}

TEST(OpenKernel, TheLogSaysWhoOpenedWhatAndHowTheyHadSignedIn) {
  v1::Request by_key = open_kernel("s1", "shell", "main"), by_browser = open_kernel("s1", "copy");
  by_key.mutable_owner()->set_keypair("AK1");
  by_browser.set_browser_session(wire("b1"));
  v1::Event shell = kernel_opened("s1", "shell", "main"), copy = kernel_opened("s1", "copy");
  shell.mutable_kernel_opened()->set_key_pair("AK1");
  copy.mutable_kernel_opened()->set_browser_session(wire("b1"));
  shell.set_actor("user:alice");
  given(owned_session() + Events{key_pair_defined("AK1", "alice"), browser_session_started("b1", "alice")})
      .when(by_key)
      .then({shell})
      .when(by_browser)
      .then({copy})
      .when(open_kernel("s1", "exec"))
      .then({kernel_opened("s1", "exec")})
      .when(open_kernel("s1", "app", "jupyter"))
      .then({kernel_opened("s1", "app", "jupyter")});
}

TEST(OpenKernel, IsTheOwnersAlone) {
  for (const char* kind : {"exec", "copy"}) {
    EXPECT_EQ(open_refusal(open_kernel("s1", kind)), "");
    for (const char* user : {"pat", "dave", "monty", "root"})
      EXPECT_EQ(open_refusal(sent_by(open_kernel("s1", kind), user)), "denied") << user;
    for (const char* user : {"bob", "dora"})
      EXPECT_EQ(open_refusal(sent_by(open_kernel("s1", kind), user)), "unknown-session") << user;
  }
  for (const char* user : {"pat", "dave", "monty", "root"})
    EXPECT_EQ(open_refusal(sent_by(open_kernel("s1", "shell", "main"), user)), "denied") << user;
  v1::Request by_controller = open_kernel("s1");
  by_controller.set_actor("controller");
  EXPECT_EQ(open_refusal(by_controller), "denied");
}

TEST(OpenKernel, OfASessionThatIsNotThereOrIsNotSeenIsOneAnswer) {
  EXPECT_EQ(open_refusal(open_kernel("s9")), "unknown-session");
  v1::Request damaged = open_kernel("s1");
  damaged.mutable_open_kernel()->set_session_id("short");
  EXPECT_EQ(open_refusal(damaged), "unknown-session");
}

TEST(OpenKernel, TheKernelIsOneOfTheSession) {
  const Events other = {session_requested("s2"), session_scheduled("s2", "a1"),
                        kernel_running(kernel_name("s2"))};
  v1::Request r = open_kernel("s1");
  for (const std::string& kernel : {wire(kernel_name("s2")), wire("nobody"), std::string("short")}) {
    r.mutable_open_kernel()->set_kernel_id(kernel);
    EXPECT_EQ(open_refusal(r, other), "unknown-kernel");
  }
}

TEST(OpenKernel, OnlyWhileTheKernelRuns) {
  const std::string k2 = kernel_name("s2");
  const Events placed = {session_requested("s2"), session_scheduled("s2", "a1")};
  EXPECT_EQ(open_refusal(open_kernel("s2"), {session_requested("s2")}), "session-not-running");
  EXPECT_EQ(open_refusal(open_kernel("s2"), placed), "session-not-running");
  EXPECT_EQ(open_refusal(open_kernel("s2"), placed + Events{kernel_creating(k2)}), "session-not-running");
  EXPECT_EQ(open_refusal(open_kernel("s2"), placed + Events{kernel_running(k2)}), "");
  EXPECT_EQ(open_refusal(open_kernel("s1"), {session_terminating("s1")}), "session-not-running");
  EXPECT_EQ(open_refusal(open_kernel("s1"), {kernel_terminated(kernel_name("s1"))}), "session-not-running");
  EXPECT_EQ(open_refusal(open_kernel("s2"), {session_requested("s2"), session_cancelled("s2")}),
            "session-not-running");
}

// What others of the session's kernels do is no matter, as long as the session stays.
TEST(OpenKernel, OneThatRunsIsOpenedThoughAnotherStillStarts) {
  const v1::SessionSpec two = Spec().kernels(2);
  const Events gang = {session_requested("s2", two), session_scheduled("s2", {{"a1"}, {"a1", {}, "main", 2}}),
                       kernel_running(kernel_name("s2"))};
  EXPECT_EQ(open_refusal(open_kernel("s2"), gang), "");
  v1::Request second = open_kernel("s2");
  second.mutable_open_kernel()->set_kernel_id(wire(kernel_name("s2", "main", 2)));
  EXPECT_EQ(open_refusal(second, gang), "session-not-running");
  EXPECT_EQ(open_refusal(second, gang + Events{kernel_running(kernel_name("s2", "main", 2))}), "");
}

TEST(OpenKernel, ItsKindAndNameAreBounded) {
  for (const std::string& kind : {std::string(), std::string("ssh"), std::string(100'000, 'x')})
    EXPECT_EQ(open_refusal(open_kernel("s1", kind)), "invalid-value");
  for (const char* kind : {"shell", "app"}) {
    EXPECT_EQ(open_refusal(open_kernel("s1", kind, "a-b_c.9")), "");
    EXPECT_EQ(open_refusal(open_kernel("s1", kind, std::string(64, 'x'))), "");
    for (const std::string& name :
         {std::string(), std::string("a b"), std::string("a/b"), std::string("\x1b["),
          std::string("\xc3\xa9"), std::string(65, 'x'), std::string(100'000, 'x')})
      EXPECT_EQ(open_refusal(open_kernel("s1", kind, name)), "invalid-name") << kind;
  }
  for (const char* kind : {"exec", "copy"})
    EXPECT_EQ(open_refusal(open_kernel("s1", kind, "x")), "invalid-name");
}

TEST(OpenKernel, AKeyPairThatReadsCopiesOutAndOpensNothingElse) {
  v1::Event reads = key_pair_defined("AK1", "alice");
  reads.mutable_key_pair_defined()->set_read_only(true);
  for (const auto& [kind, code] : {std::pair{"exec", "key-read-only"}, {"copy", ""}}) {
    v1::Request r = open_kernel("s1", kind);
    r.mutable_owner()->set_keypair("AK1");
    EXPECT_EQ(open_refusal(r, {reads}), code) << kind;
  }
}

TEST(OpenKernel, ADisabledUserOpensNothing) {
  v1::Event off = user_defined("alice");
  off.mutable_user_defined()->set_disabled(true);
  EXPECT_EQ(open_refusal(open_kernel("s1"), {off}), "user-disabled");
}

}  // namespace
}  // namespace berth::testing::decisions
