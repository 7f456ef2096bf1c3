#include "controller/api/http/app_connection.h"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "controller/api/apps/app_headers.h"
#include "controller/api/http/app_fields.h"
#include "controller/api/http/client_request.h"
#include "controller/api/inside/session_apps.h"

namespace berth::controller::api {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using std::chrono::steady_clock;

namespace {

// Beast reads no more at once than its buffer has room for, and would begin with 512 bytes.
constexpr std::size_t kHeadRoom = 16u << 10;
constexpr std::size_t kAppBufferMax = 256u << 10;
constexpr int kInterimMax = 16;
constexpr std::chrono::seconds kAppLinger{2};
constexpr std::chrono::milliseconds kLookAfter{100};  // at the client of an answer that takes longer

Error lost_app() {
  return make_error("app-answer-invalid", "the app closed its connection without an answer",
                    "is it running? The session's output may say why");
}

Error garbled() {
  return make_error("app-answer-invalid", "what the app answers is no HTTP/1.1",
                    "does it serve HTTP on this port?");
}

// An app that is not ready is told in plain words, and none of it is the client's fault.
Problem problem_of_app(const Error& why, const std::string& app) {
  Problem problem = to_problem(why);
  if (problem.status < 500) problem.status = 502;
  if (why.code == "port-not-open") {
    problem.detail = "nothing listens on " + app + " in this session yet";
    problem.hint = "wait until the app has started, then load this page again";
    problem.retry_after_s = 2;
  } else if (why.code == "no-such-app") {
    problem.status = 503;
    problem.detail = app + " does not run in this session";
    problem.hint = "its page in the console starts it";
  } else if (why.code == "app-ended") {
    problem.status = 503;
    problem.detail = app + " has ended";
    problem.hint = "its page in the console shows what it printed, and starts it again";
  }
  return problem;
}

// By what the image declares now; where it declares the app no more, by its name.
std::string address_now(const Services& services, const AppEntry& entry) {
  Result<std::string> address = entry.app.app;
  services.context.with_state([&](const StateView& view) {
    address = address_of_app(apps_of(view.state, entry.app.session), entry.app.app);
  });
  return address.ok() ? *address : entry.app.app;
}

}  // namespace

AppConnection::AppConnection(const Services& services, Client client, std::weak_ptr<void> owner,
                             AppEntry entry)
    : services_(services),
      client_(std::move(client)),
      weak_owner_(std::move(owner)),
      entry_(std::move(entry)),
      counted_(services.metrics),
      used_at_(services.context.now()),
      app_buffer_(kAppBufferMax),
      watch_(client_.stream.get_executor()),
      patience_(client_.stream.get_executor()) {}

bool AppConnection::is_of(const AppEntry& entry) const {
  const StreamFacts &mine = entry_.kernel.facts, &theirs = entry.kernel.facts;
  return !closed_ && entry_.app == entry.app && mine.kernel == theirs.kernel &&
         mine.attempt == theirs.attempt && mine.caller.browser_session == theirs.caller.browser_session;
}

bool AppConnection::is_upgrade() const { return request_.count(http::field::upgrade) > 0; }

void AppConnection::serve(HeaderParser&& request, std::string request_id, std::function<void(End)> done) {
  owner_ = weak_owner_.lock();
  request_id_ = std::move(request_id);
  done_ = std::move(done);
  used_at_ = services_.context.now();
  began_ = heard_ = steady_clock::now();
  parser_.emplace(std::move(request));
  parser_->body_limit(boost::none);
  answer_parser_.reset();
  interim_ = 0;
  sending_ = reading_request_ = request_lost_ = answer_begun_ = keep_ = false;
  ++exchange_;
  to_app_over_ = to_client_over_ = false;
  request_done_ = parser_->is_done();
  request_left_.reset();
  answer_left_.reset();
  app_said_more_ = false;
  if (const auto length = parser_->content_length(); length && !request_done_) request_left_ = *length;
  end_.reset();

  const auto& head = parser_->get();
  request_out_.reset();
  request_ = {};
  request_.version(11);
  request_.method_string(head.method_string());
  request_.target(head.target());
  fill(request_, fields_for_app(fields_of(head)));
  request_.erase(http::field::expect);  // this proxy has said 100 itself
  if (parser_->chunked()) request_.chunked(true);
  if (const auto length = parser_->content_length())
    request_.set(http::field::content_length, std::to_string(*length));
  const std::string upgrade =
      upgrade_for_app(value_of(head, http::field::connection), value_of(head, http::field::upgrade));
  if (head.version() >= 11 && !upgrade.empty()) {
    request_.set(http::field::connection, "Upgrade");
    request_.set(http::field::upgrade, upgrade);
  }
  look_within(kLookAfter);
  // What may have had an effect is never sent twice, and a kept connection may have ended just now. What has
  // come on it without being asked for answers nothing.
  const bool safe = request_done_ && (head.method() == http::verb::get || head.method() == http::verb::head);
  reused_ = app_ != nullptr && safe && !is_upgrade() && !app_->has_some();
  if (reused_) return send();
  open();
}

// ---- the request ----

void AppConnection::leave_app() {
  ++connection_;
  token_.clear();
  app_buffer_.clear();
  if (!app_) return;
  app_->close();
  // What was under way is told so first.
  asio::post(watch_.get_executor(), [left = std::shared_ptr<ChannelStream>(std::move(app_))] {});
}

void AppConnection::open() {
  leave_app();
  reused_ = false;
  opening_ = services_.context.open_app(
      entry_.kernel.place, address_now(services_, entry_),
      [weak = weak_from_this(), strand = client_.stream.get_executor()](const Result<AppOpened>& result) {
        if (!weak.lock()) return;
        asio::post(strand, [weak, result] {
          if (const auto self = weak.lock(); self && !self->closed_) self->opened(result);
        });
      });
}

void AppConnection::opened(const Result<AppOpened>& result) {
  if (!owner_ || !opening_) return;
  auto channel = std::exchange(opening_, nullptr);
  if (!result.ok()) return refuse(result.error());
  app_ = std::make_unique<ChannelStream>(client_.stream.get_executor(), std::move(channel));
  token_ = result->token;
  send();
}

void AppConnection::send() {
  sending_ = true;
  const bool waits = waits_for_leave(parser_->get()) && !request_done_;
  if (!waits) return send_header();
  static const std::string kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(client_.stream, asio::buffer(kContinue), on([](auto& self, ErrorCode error, std::size_t) {
                      if (error) return self.close();
                      self.send_header();
                    }));
}

void AppConnection::send_header() {
  // What the client said of it was removed.
  request_.erase(http::field::authorization);
  if (!token_.empty()) request_.set(http::field::authorization, "token " + token_);
  request_.body().data = nullptr;
  request_.body().more = !request_done_;
  request_out_.emplace(request_);
  if (!request_done_ && client_.buffer.size() > 0) {  // what has come of the body leaves with the head
    request_left_ ? begin_to_pass_request() : pump_request();
    return read_answer();
  }
  http::async_write_header(*app_, *request_out_,
                           on([number = connection_](auto& self, ErrorCode error, std::size_t) {
                             const bool left = number != self.connection_;
                             if (left && !self.end_) return;  // another connection has the request
                             if (error) self.request_lost_ = true;
                             if (self.request_done_) return self.request_over();
                             self.request_left_ ? self.pass_request() : self.pump_request();
                           }));
  read_answer();
}

void AppConnection::pump_request() {
  reading_request_ = true;
  up_.make(kPiece);
  client_.buffer.reserve(kPiece);
  parser_->get().body().data = up_.bytes.get();
  parser_->get().body().size = up_.size;
  http::async_read_some(client_.stream, client_.buffer, *parser_,
                        on([](auto& self, ErrorCode error, std::size_t) { self.took_request(error); }));
}

void AppConnection::took_request(ErrorCode error) {
  reading_request_ = false;
  if (error == http::error::need_buffer) error = {};
  if (end_) {  // nobody waits for the rest, but the client is to read the answer
    if (error || parser_->is_done()) return request_over();
    return pump_request();
  }
  if (error) return is_of_http(error) ? refuse_body(error) : close();
  used_at_ = services_.context.now();
  const std::size_t size = up_.size - parser_->get().body().size;
  request_done_ = parser_->is_done();
  if (request_lost_ || (size == 0 && !request_done_)) return request_done_ ? request_over() : pump_request();
  // A piece of no bytes would be the last chunk.
  request_.body().data = size == 0 ? nullptr : up_.bytes.get();
  request_.body().size = size;
  request_.body().more = !request_done_;
  http::async_write(*app_, *request_out_, on([](auto& self, ErrorCode failed, std::size_t) {
    if (failed && failed != http::error::need_buffer) self.request_lost_ = true;
    if (self.request_done_) return self.request_over();
    self.pump_request();
  }));
}

// Chunks that are none. Where the body ends, and the next request begins, nobody knows.
void AppConnection::refuse_body(ErrorCode error) {
  if (answer_begun_ || error == http::error::partial_message) return close();
  sending_ = false;
  opening_.reset();
  leave_app();
  const Problem problem =
      make_problem("malformed-request", "the request's body is no HTTP/1.1: " + error.message(),
                   "send its Content-Length, or chunks");
  count(problem.status);
  end({false, page_of(problem)});
}

// What has come of it lies in the client's buffer, perhaps with the next request.
void AppConnection::begin_to_pass_request() {
  const std::size_t size = std::min<std::uint64_t>(client_.buffer.size(), *request_left_);
  *request_left_ -= size;
  request_done_ = *request_left_ == 0;
  request_.body().data = client_.buffer.data().data();
  request_.body().size = size;
  request_.body().more = !request_done_;
  http::async_write(*app_, *request_out_, on([size](auto& self, ErrorCode failed, std::size_t) {
    self.client_.buffer.consume(size);
    if (failed && failed != http::error::need_buffer) self.request_lost_ = true;
    self.request_done_ ? self.request_over() : self.pass_request();
  }));
}

void AppConnection::pass_request() {
  reading_request_ = true;
  passing_up_.resize(std::min<std::uint64_t>(kPiece, *request_left_));
  client_.stream.async_read_some(asio::buffer(passing_up_),
                                 on([](auto& self, ErrorCode error, std::size_t size) {
                                   self.reading_request_ = false;
                                   if (error && self.end_) return self.request_over();  // it has its answer
                                   if (error) return self.close();
                                   self.passing_up_.resize(size);
                                   self.pass_to_app(std::exchange(self.passing_up_, {}));
                                 }));
}

void AppConnection::pass_to_app(std::string piece) {
  used_at_ = services_.context.now();
  *request_left_ -= piece.size();
  request_done_ = *request_left_ == 0;
  const auto go_on = [](AppConnection& self) {
    self.request_done_ ? self.request_over() : self.pass_request();
  };
  if (end_ || request_lost_) return go_on(*this);  // nobody waits for the rest
  app_->write_piece(std::move(piece), on([go_on](auto& self, ErrorCode failed, std::size_t) {
                      if (failed) self.request_lost_ = true;
                      go_on(self);
                    }));
}

void AppConnection::request_over() {
  sending_ = false;
  if (end_) return deliver_end();
  look_within(kLookAfter);
}

// ---- the answer ----

void AppConnection::read_answer() {
  answer_parser_.emplace();
  answer_parser_->header_limit(client_.header_bytes_max);
  answer_parser_->body_limit(boost::none);
  if (request_.method() == http::verb::head) answer_parser_->skip(true);
  app_buffer_.reserve(kHeadRoom);
  http::async_read_header(*app_, app_buffer_, *answer_parser_,
                          on([](auto& self, ErrorCode error, std::size_t) { self.took_answer(error); }));
}

void AppConnection::took_answer(ErrorCode error) {
  if (!owner_ || end_) return;  // the request was refused meanwhile
  if (error && reused_ && !answer_parser_->got_some() && interim_ == 0) return open();
  if (error)
    return refuse(error == http::error::end_of_stream || error == asio::error::connection_reset ||
                          error == http::error::partial_message
                      ? lost_app()
                      : garbled());
  const unsigned status = answer_parser_->get().result_int();
  if (status == 101) return is_upgrade() ? switch_protocols() : refuse(garbled());
  if (status >= 200) return answer_header();
  if (++interim_ > kInterimMax) return refuse(garbled());
  read_answer();
}

void AppConnection::answer_header() {
  answer_begun_ = true;
  const auto& head = answer_parser_->get();
  count(head.result_int());
  answer_out_.reset();
  answer_ = {};
  answer_.version(11);
  answer_.result(head.result_int());
  answer_.reason(head.reason());
  fill(answer_, fields_from_app(fields_of(head)));
  if (const auto length = answer_parser_->content_length())
    answer_.set(http::field::content_length, std::to_string(*length));
  if (answer_.result() == http::status::no_content) answer_.erase(http::field::content_length);
  const bool old = parser_->get().version() < 11;
  keep_ = parser_->get().keep_alive() && request_done_;  // else the client may send on what nobody reads
  if (!answer_parser_->is_done() && !answer_parser_->content_length()) {
    if (old)
      keep_ = false;
    else
      answer_.chunked(true);
  }
  answer_.keep_alive(keep_);
  answer_.body().data = nullptr;
  answer_.body().more = !answer_parser_->is_done();
  answer_out_.emplace(answer_);
  const bool has_body = !answer_parser_->is_done();
  if (const auto length = answer_parser_->content_length(); length && has_body) answer_left_ = *length;
  // Head and body at once, as far as it has come.
  if (has_body && app_buffer_.size() > 0) return answer_left_ ? begin_to_pass_answer() : pump_answer();
  http::async_write_header(client_.stream, *answer_out_, on([](auto& self, ErrorCode error, std::size_t) {
                             if (error) return self.close();
                             if (self.answer_parser_->is_done()) return self.answer_over();
                             self.answer_left_ ? self.pass_answer() : self.pump_answer();
                           }));
}

void AppConnection::pump_answer() {
  down_.make(kPiece);
  app_buffer_.reserve(kPiece);
  answer_parser_->get().body().data = down_.bytes.get();
  answer_parser_->get().body().size = down_.size;
  http::async_read_some(*app_, app_buffer_, *answer_parser_,
                        on([](auto& self, ErrorCode error, std::size_t) { self.took_answer_body(error); }));
}

void AppConnection::took_answer_body(ErrorCode error) {
  if (error == http::error::need_buffer) error = {};
  if (error) return close();  // the client must not take this for the answer's end
  const std::size_t size = down_.size - answer_parser_->get().body().size;
  const bool last = answer_parser_->is_done();
  if (size == 0 && !last) return pump_answer();
  answer_.body().data = size == 0 ? nullptr : down_.bytes.get();
  answer_.body().size = size;
  answer_.body().more = !last;
  http::async_write(client_.stream, *answer_out_, on([last](auto& self, ErrorCode failed, std::size_t) {
                      if (failed && failed != http::error::need_buffer) return self.close();
                      if (last) return self.answer_over();
                      self.pump_answer();
                    }));
}

void AppConnection::begin_to_pass_answer() {
  const std::size_t size = std::min<std::uint64_t>(app_buffer_.size(), *answer_left_);
  *answer_left_ -= size;
  answer_.body().data = app_buffer_.data().data();
  answer_.body().size = size;
  answer_.body().more = *answer_left_ > 0;
  http::async_write(client_.stream, *answer_out_, on([size](auto& self, ErrorCode failed, std::size_t) {
                      if (failed && failed != http::error::need_buffer) return self.close();
                      self.app_buffer_.consume(size);
                      self.pass_answer();
                    }));
}

void AppConnection::pass_answer() {
  if (*answer_left_ == 0) return answer_over();
  app_->read_piece(on([](auto& self, ErrorCode error, std::string piece) {
    if (error) return self.close();  // the client must not take this for the answer's end
    const std::size_t size = std::min<std::uint64_t>(piece.size(), *self.answer_left_);
    self.app_said_more_ = size < piece.size();
    *self.answer_left_ -= size;
    self.passing_down_ = std::move(piece);
    asio::async_write(self.client_.stream, asio::buffer(self.passing_down_, size),
                      self.on([](auto& me, ErrorCode failed, std::size_t) {
                        if (failed) return me.close();
                        me.passing_down_ = {};
                        me.pass_answer();
                      }));
  }));
}

void AppConnection::answer_over() {
  const bool again = request_done_ && !request_lost_ && answer_parser_->keep_alive() &&
                     !answer_parser_->need_eof() && app_buffer_.size() == 0 && !app_said_more_;
  if (!again) leave_app();
  end({keep_ && request_done_ && !request_lost_, std::nullopt});
}

void AppConnection::refuse(const Error& why) {
  opening_.reset();
  leave_app();
  if (answer_begun_) return close();
  const Problem problem = problem_of_app(why, entry_.app.app);
  count(problem.status);
  end({parser_->get().keep_alive() && request_done_, page_of(problem)});
}

// Of this server, not of the app.
HttpReply AppConnection::page_of(const Problem& problem) const {
  HttpReply page = app_problem_page(problem, request_id_, console_page(entry_.console, entry_.app));
  tell_time(services_.context, page);
  return page;
}

void AppConnection::count(unsigned status) { services_.metrics.count_app_request(status); }

// ---- the end of an exchange ----

// The client's stream must be nobody's when it is given back. A client that is still sending reads the answer
// only if the rest is taken from it, for a while.
void AppConnection::end(End end) {
  if (end_) return;
  end_ = std::move(end);
  if (!sending_) return deliver_end();
  if (request_done_) return;  // its last bytes are on their way
  end_->keep = false;
  patience_.expires_after(kAppLinger);
  patience_.async_wait(on([](auto& self, ErrorCode cancelled) {
    if (!cancelled && self.reading_request_) self.client_.stream.tcp().cancel();
  }));
}

void AppConnection::deliver_end() {
  patience_.cancel();
  request_lost_ = false;
  parser_.reset();
  up_ = {};
  down_ = {};
  passing_up_ = {};
  app_buffer_.shrink_to_fit();
  client_.buffer.shrink_to_fit();
  const auto owner = std::exchange(owner_, nullptr);
  const auto done = std::exchange(done_, nullptr);
  End end = std::move(*end_);
  end_.reset();
  if (done) done(std::move(end));
}

void AppConnection::close() {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  const auto owner = owner_ ? std::exchange(owner_, nullptr) : weak_owner_.lock();
  done_ = nullptr;
  watch_.cancel();
  patience_.cancel();
  opening_.reset();
  if (app_) app_->close();
  if (owner) client_.close();
}

void AppConnection::cut(const Error&) {
  asio::post(watch_.get_executor(), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->close();
  });
}

// ---- clients that are gone, and silence ----

// Nothing is read of a client that waits for an answer, so that what it sends ahead stays where it is.
void AppConnection::watch_client() {
  client_.stream.tcp().socket().async_wait(
      tcp::socket::wait_read, [weak = weak_from_this(), number = exchange_](ErrorCode error) {
        const auto self = weak.lock();
        if (error || !self || self->closed_ || !self->owner_ || self->exchange_ != number) return;
        if (self->has_switched()) return;  // what came was read already
        ErrorCode failed;
        if (self->client_.stream.tcp().socket().available(failed) == 0) self->close();
      });
}

void AppConnection::look_within(steady_clock::duration most) {
  const auto at = steady_clock::now() + most;
  if (look_at_ && *look_at_ <= at) return;
  look_at_ = at;
  watch_.expires_at(at);
  watch_.async_wait([weak = weak_from_this()](ErrorCode cancelled) {
    const auto self = weak.lock();
    if (cancelled || !self) return;
    self->look_at_.reset();
    if (!self->closed_ && self->owner_) self->look();
  });
}

void AppConnection::look() {
  const auto now = steady_clock::now();
  if (now - heard_ >= client_.silence) return close();
  const bool waits = request_done_ && !sending_ && !end_ && !has_switched();
  if (waits && watched_ != exchange_) {
    if (now - began_ < kLookAfter) return look_within(kLookAfter);
    watched_ = exchange_;
    watch_client();
  }
  look_within(heard_ + client_.silence - now);
}

}  // namespace berth::controller::api
