// Apps of a session that is shared, over sockets: whom a share lets in, and what is cut when it ends.
#include "tests/unit/api/server/apps_rig.h"

namespace berth::testing {
namespace {

class AppShare : public AppsRig {
 protected:
  void share(const std::string& user, bool withdrawn = false) {
    rig_.cell.append({session_shared("s1", "user", user, withdrawn)});
  }
  std::string let_in_as(const Signed& who) { return cookie_of(exchange(ticket(who))); }
  std::string id() const { return to_string(session_id("s1")); }
};

TEST_F(AppShare, LetsInWhomTheSessionIsSharedWithAndNobodyElse) {
  const Signed bob = sign_in("b2", "bob"), admin = sign_in("b3", "admin");
  share("bob");
  const std::string cookie = let_in_as(bob);
  RawClient client(server_->port());
  client.send(request("GET /lab", cookie));
  app()->until("\r\n\r\n");
  app()->say(kOk);
  EXPECT_TRUE(client.reply().ends_with("ok"));
  EXPECT_TRUE(ask_open(admin, "jupyter", id()).starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(ask_open(bob, "jupyter", to_string(session_id("s2"))).starts_with("HTTP/1.1 404 "));
  EXPECT_TRUE(refusal(request("GET /", cookie, "", host("jupyter", "s2"))).starts_with("HTTP/1.1 401 "));
  share("admin");
  EXPECT_TRUE(ask_open(admin, "jupyter", id()).starts_with("HTTP/1.1 200 "));
}

TEST_F(AppShare, AWithdrawnShareShutsTheAppAndItsTickets) {
  const Signed bob = sign_in("b2", "bob");
  share("bob");
  const std::string cookie = let_in_as(bob), late = ticket(bob);
  share("bob", true);
  EXPECT_NE(refusal(request("GET /", cookie)).find("unknown-session"), std::string::npos);
  EXPECT_NE(exchange(late).find("unknown-session"), std::string::npos);
  EXPECT_TRUE(ask_open(bob, "jupyter", id()).starts_with("HTTP/1.1 404 "));
  EXPECT_NE(
      refusal(request("GET /ws", cookie, own_origin() + "Connection: Upgrade\r\nUpgrade: websocket\r\n"))
          .find("unknown-session"),
      std::string::npos);
}

TEST_F(AppShare, AWithdrawnShareCutsAnOpenWebSocket) {
  const Signed bob = sign_in("b2", "bob");
  share("bob");
  RawClient socket(server_->port()), owners(server_->port());
  const std::string upgrade = own_origin() + "Connection: Upgrade\r\nUpgrade: websocket\r\n";
  const auto begin = [&](RawClient& client, const std::string& cookie, std::size_t number) {
    client.send(request("GET /ws", cookie, upgrade));
    app(number)->until("\r\n\r\n");
    app(number)->say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    EXPECT_TRUE(client.until("\r\n\r\n").starts_with("HTTP/1.1 101 "));
  };
  begin(socket, let_in_as(bob), 0);
  begin(owners, let_in(), 1);
  share("bob", true);
  EXPECT_TRUE(app(0)->wait_until_gone());
  socket.all();
  EXPECT_TRUE(socket.closed());
  owners.send("still here");
  EXPECT_EQ(app(1)->take(10), "still here");
}

}  // namespace
}  // namespace berth::testing
