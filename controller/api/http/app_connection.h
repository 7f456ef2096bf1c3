// AppConnection: one client's connection while it speaks with an app: each request goes to the app as it
// comes, and the answer back, through the agent's tunnel; HTTP/1.1 on both sides.
//
//   a request and its answer are read and written at the same time, a piece of at most 64 KiB of each body
//   being here; so a slow reader keeps the other side from writing, and an answer may come before the
//   request's end
//
// A connection to the app is kept for the client's next GET or HEAD if the app allows it. After an answer 101
// bytes go both ways, and each way ends by itself. There is a limit on silence and none on time.
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "controller/api/http/channel_stream.h"
#include "controller/api/http/client_stream.h"
#include "controller/api/http/http.h"
#include "controller/api/inside/app_gate.h"
#include "controller/api/inside/open_streams.h"
#include "controller/api/routes/metrics.h"

namespace berth::controller::api {

// All of it on the client's strand, but cut() and what only tells. Its operations hold it and the client.
class AppConnection final : public OpenStream, public std::enable_shared_from_this<AppConnection> {
 public:
  struct Client {
    ClientStream& stream;
    boost::beast::flat_buffer& buffer;  // of what was read and belongs to nothing yet
    std::uint32_t header_bytes_max = 0;
    std::chrono::seconds silence{15 * 60};  // a connection on which no byte goes either way ends then
    std::function<void()> close;
  };
  // How an exchange ended; not at all where the client's connection was closed.
  struct End {
    bool keep = false;               // the client may go on with its next request
    std::optional<HttpReply> reply;  // to be written, for the app has said nothing
  };
  using HeaderParser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  // `client` has the stream and lives as long as its weak pointer says.
  AppConnection(const Services& services, Client client, std::weak_ptr<void> owner, AppEntry entry);
  // Whether requests of that entry may go on here.
  bool is_of(const AppEntry& entry) const;
  // One exchange at a time. `request`: its header was read, and was let in. REQUIRES: the client's stream has
  // no deadline.
  void serve(HeaderParser&& request, std::string request_id, std::function<void(End)> done);

  void cut(const Error& why) override;
  Timestamp used_at() const override { return used_at_; }
  bool changes() const override { return true; }

 private:
  using ErrorCode = boost::system::error_code;
  static constexpr std::size_t kPiece = 64u << 10;  // bytes that are read at once

  // Bytes that are moved at once. Not zeroed: a short answer would wait for that longer than for its own
  // bytes.
  struct Piece {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
    void make(std::size_t least) {
      if (size >= least) return;
      bytes = std::make_unique_for_overwrite<char[]>(least);
      size = least;
    }
  };

  void leave_app();
  void open();
  void opened(const Result<AppOpened>& result);
  void send();
  void send_header();
  void pump_request();
  void took_request(ErrorCode error);
  void refuse_body(ErrorCode error);
  void begin_to_pass_request();
  void pass_request();
  void pass_to_app(std::string piece);
  void request_over();
  void read_answer();
  void took_answer(ErrorCode error);
  void answer_header();
  void switch_protocols();
  void pump_answer();
  void took_answer_body(ErrorCode error);
  void begin_to_pass_answer();
  void pass_answer();
  void answer_over();
  void refuse(const Error& why);
  HttpReply page_of(const Problem& problem) const;
  void count(unsigned status);
  void end(End end);
  void deliver_end();
  void pump_to_app(std::size_t size);
  void pump_to_client(std::size_t size);
  void side_over(bool& side);
  void watch_client();
  void look_within(std::chrono::steady_clock::duration most);
  void look();
  void close();
  bool is_upgrade() const;
  bool has_switched() const { return is_upgrade() && answer_begun_; }
  // `step` with this, unless it was closed; holds this and the client. As a handler.
  template <class Step> auto on(Step step);

  const Services services_;
  const Client client_;
  const std::weak_ptr<void> weak_owner_;
  const AppEntry entry_;
  const AppStreamCount counted_;
  std::atomic<Timestamp> used_at_;

  // Of the connection to the app.
  std::unique_ptr<ChannelStream> app_;
  std::shared_ptr<KernelChannel> opening_;  // until it is open
  boost::beast::flat_buffer app_buffer_;
  std::string token_;  // of the app, which is sent to it with each request
  bool reused_ = false;

  // Of one exchange.
  std::shared_ptr<void> owner_;  // while one is under way
  std::string request_id_;
  std::function<void(End)> done_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::buffer_body>> parser_;
  boost::beast::http::request<boost::beast::http::buffer_body> request_;
  std::optional<boost::beast::http::request_serializer<boost::beast::http::buffer_body>> request_out_;
  std::optional<boost::beast::http::response_parser<boost::beast::http::buffer_body>> answer_parser_;
  boost::beast::http::response<boost::beast::http::buffer_body> answer_;
  std::optional<boost::beast::http::response_serializer<boost::beast::http::buffer_body>> answer_out_;
  int interim_ = 0;               // answers of status 1xx
  bool sending_ = false;          // the request is being read or written
  bool reading_request_ = false;  // of the client
  bool request_done_ = false;     // read
  bool request_lost_ = false;     // the app does not take the rest of it, which is thrown away
  bool answer_begun_ = false;
  bool keep_ = false;
  // Of bodies whose length is known, of which nothing is looked at: bytes that are still to be passed on.
  std::optional<std::uint64_t> request_left_, answer_left_;
  bool app_said_more_ = false;  // than it had announced
  std::optional<End> end_;
  bool to_app_over_ = false, to_client_over_ = false;  // after status 101
  std::uint64_t exchange_ = 0;                         // the number of this one
  std::uint64_t connection_ = 0;                       // the number of the connection to the app

  // One timer for all exchanges, which most are too short to set: look() is due then, or nothing is.
  boost::asio::steady_timer watch_;
  std::optional<std::chrono::steady_clock::time_point> look_at_;
  std::uint64_t watched_ = 0;  // the exchange of which look() has begun to watch the client

  boost::asio::steady_timer patience_;
  std::chrono::steady_clock::time_point heard_, began_;
  bool closed_ = false;
  Piece up_, down_;
  std::string passing_up_, passing_down_;
};

template <class Step> auto AppConnection::on(Step step) {
  return [self = shared_from_this(), owner = owner_, step = std::move(step)](auto&&... values) {
    if (self->closed_) return;
    self->heard_ = std::chrono::steady_clock::now();
    step(*self, std::forward<decltype(values)>(values)...);
  };
}

}  // namespace berth::controller::api
