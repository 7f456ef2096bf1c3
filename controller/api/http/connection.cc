#include "controller/api/http/connection.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "controller/api/http/app_connection.h"
#include "controller/api/http/client_request.h"
#include "controller/api/http/client_socket.h"
#include "controller/api/http/client_stream.h"
#include "controller/api/http/web_socket.h"

namespace berth::controller::api {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

// No handler takes longer: the API's own deadlines are below it.
constexpr std::chrono::seconds kHandlingMax{120};
constexpr std::chrono::seconds kLinger{2};
// Clients that are one too many and are told so at a time; the rest find their connection closed.
constexpr std::size_t kTurnedAwayMax = 256;
constexpr std::size_t kReadAhead = 4096;
// Of what was read and is not taken yet: a header, or what stands around the chunks of a body.
constexpr std::size_t kUntakenMax = 64 << 10;
constexpr std::size_t kPiece = 64 << 10;  // of a body that is read as it is taken
constexpr std::chrono::seconds kStreamedBodyMax{240};

Problem chunk_too_large() {
  return make_problem("body-too-large", "the body is larger than 8 MiB", "send the file in more chunks");
}

Error client_gone() { return make_error("client-gone", "the client is gone"); }

Error to_error(const Problem& problem) { return make_error(problem.code, problem.detail, problem.hint); }

class Connection final : public AnyConnection, public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, std::shared_ptr<ConnectionShared> shared)
      : stream_(beast::tcp_stream(std::move(socket)), shared->tls.get()),
        timer_(stream_.get_executor()),
        shared_(std::move(shared)) {
    error_code ignored;
    const auto& tcp = stream_.tcp().socket();
    client_address_ = remote_address(tcp).to_string();
    port_ = tcp.local_endpoint(ignored).port();
    shared_->api.metrics().connection_opened();
  }
  ~Connection() override {
    shared_->remove(this);
    if (id_ != 0) shared_->counts.remove(id_);
    if (turned_away_) --shared_->turned_away;
    shared_->api.metrics().connection_closed();
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Counted already as `id`.
  void serve(ConnectionCounts::Id id);
  void turn_away(Problem problem);
  // From any thread: another connection needs the room.
  void give_way();
  void close() override;

 private:
  // The rest of a request's body.
  class Pieces final : public BodyStream {
   public:
    explicit Pieces(std::weak_ptr<Connection> connection) : connection_(std::move(connection)) {}
    void read(Read done) override {
      const auto connection = connection_.lock();
      if (!connection) return done(client_gone());
      asio::post(connection->stream_.get_executor(),
                 [connection, done = std::move(done)]() mutable { connection->read_piece(std::move(done)); });
    }

   private:
    const std::weak_ptr<Connection> connection_;
  };

  void start(std::optional<Problem> refusal);
  void shake_hands(std::function<void(error_code)> done);
  void read_request();
  void refuse(Problem problem);
  void await_next_request();
  void on_header();
  void admit();
  void ask_app(const CallPtr& call);
  void begin_body();
  void read_body();
  void read_piece(BodyStream::Read done);
  void read_failed(error_code error);
  void handle();
  void tell_when_gone(const CallPtr& call);
  void handle_streamed();
  void await_reply(std::chrono::seconds patience);
  Reply reply_here();
  void write_reply(HttpReply reply);
  void fill(http::fields& fields, const HttpReply& reply) const;
  void begin_stream(HttpReply reply);
  void switch_protocols(HttpReply reply);
  void next_batch();
  void write_batch(FrameStream::Batch batch);
  void watch_for_close();
  void linger();
  void discard();

  ClientStream stream_;
  asio::steady_timer timer_;  // while a request is handled, and for a slow reader of a stream
  std::shared_ptr<ConnectionShared> shared_;
  std::string client_address_;
  std::uint16_t port_ = 0;       // of this server
  ConnectionCounts::Id id_ = 0;  // among those that are served
  bool turned_away_ = false;
  beast::flat_buffer buffer_{kUntakenMax};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::request_parser<http::buffer_body>> pieces_;  // instead, of a body that streams
  std::string piece_;
  std::chrono::steady_clock::time_point pieces_until_;
  CallPtr call_;                        // admitted; its body is being read
  std::shared_ptr<AppConnection> app_;  // that was asked last
  std::optional<http::response<http::string_body>> response_;
  bool keep_alive_ = false;
  bool head_alone_ = false;  // the request is a HEAD: its answer has no body
  unsigned version_ = 11;

  std::shared_ptr<FrameStream> frames_;
  std::optional<http::response<http::empty_body>> stream_head_;
  std::optional<http::response_serializer<http::empty_body>> stream_serializer_;
  FrameStream::Batch batch_;
  bool in_chunks_ = true;  // the stream, whose length is not known
  char scratch_[4096];
};

void Connection::serve(ConnectionCounts::Id id) {
  id_ = id;
  start(std::nullopt);
}

void Connection::turn_away(Problem problem) {
  turned_away_ = true;
  ++shared_->turned_away;
  start(std::move(problem));
}

void Connection::give_way() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    self->shared_->api.metrics().count_rejected("gave-way");
    self->close();
  });
}

void Connection::start(std::optional<Problem> refusal) {
  const auto go_on = [self = shared_from_this(), refusal = std::move(refusal)](error_code error) {
    if (error) return self->close();
    if (refusal) return self->refuse(*refusal);
    self->read_request();
  };
  if (stream_.tls() == nullptr) return go_on({});
  stream_.tcp().expires_after(shared_->options.header);
  beast::async_detect_ssl(
      stream_.tcp(), buffer_, [self = shared_from_this(), go_on](error_code error, bool is_tls) {
        if (error) return self->close();
        if (is_tls) return self->shake_hands(go_on);
        self->stream_.leave_tls();  // nothing but this answer goes without it
        self->refuse(
            make_problem("https-only", "this port speaks https", "write https:// instead of http://"));
      });
}

void Connection::shake_hands(std::function<void(error_code)> done) {
  stream_.tls()->async_handshake(
      asio::ssl::stream_base::server, buffer_.data(),
      [self = shared_from_this(), done = std::move(done)](error_code error, std::size_t used) {
        self->buffer_.consume(used);
        done(error);
      });
}

void Connection::read_request() {
  parser_.emplace();
  parser_->header_limit(shared_->options.header_bytes_max);
  parser_->body_limit(boost::none);  // on_header() knows whose limit counts
  stream_.tcp().expires_after(shared_->options.header);
  http::async_read_header(stream_, buffer_, *parser_,
                          [self = shared_from_this()](error_code error, std::size_t) {
                            if (error) return self->read_failed(error);
                            self->on_header();
                          });
}

void Connection::await_next_request() {
  shared_->counts.idle(id_);
  if (buffer_.size() > 0) return read_request();
  stream_.tcp().expires_after(shared_->options.idle);
  stream_.async_read_some(buffer_.prepare(kReadAhead),
                          [self = shared_from_this()](error_code error, std::size_t size) {
                            if (error) return self->read_failed(error);
                            self->buffer_.commit(size);
                            self->read_request();
                          });
}

void Connection::on_header() {
  const auto& head = parser_->get();
  head_alone_ = head.method() == http::verb::head;
  if (head.target().size() > shared_->options.target_bytes_max)
    return refuse(make_problem("target-too-long", "the request target is too long", "at most 8 KiB"));
  if (const char* name = given_twice(head))
    return refuse(make_problem("duplicate-header", std::string(name) + " is there more than once",
                               "send each header of the signature once"));
  if (const std::string unclear = unclear_end(head); !unclear.empty())
    return refuse(make_problem("malformed-request", unclear, "send the body's Content-Length, or chunks"));
  if (!has_clear_length(head))
    return refuse(make_problem("malformed-request", "its Content-Length is no number", "send one number"));
  if (head.version() >= 11 && head.count(http::field::host) == 0)
    return refuse(make_problem("missing-host", "there is no Host header", "HTTP/1.1 asks for it"));
  const std::string expect = header(head, "Expect");
  if (!expect.empty() && !beast::iequals(expect, "100-continue"))
    return refuse(make_problem("expectation-failed", "only 'Expect: 100-continue' is understood",
                               "send the body without another expectation"));
  keep_alive_ = head.keep_alive();
  version_ = head.version();
  admit();
}

// Who asks, and whether it may, is known before the body is read.
void Connection::admit() {
  if (!turned_away_ && !shared_->counts.busy(id_)) return close();
  HttpRequest request = header_of(parser_->get());
  request.address = client_address_;
  request.port = port_;
  request.tls = stream_.tls() != nullptr;
  const bool of_app = is_on_app_origin(shared_->api.services(), request);
  const bool streams = !parser_->is_done() && !of_app && shared_->api.streams_body(request);
  const std::size_t most = streams ? BodyStream::kBytesMax : shared_->options.body_bytes_max;
  if (!parser_->is_done()) request.body_bytes = parser_->content_length().value_or(most);
  request.in_chunks = parser_->chunked();
  if (parser_->content_length().value_or(0) > most && !of_app)
    return streams ? refuse(chunk_too_large()) : read_failed(http::error::body_limit);
  auto [call, refusal] = shared_->api.admit(std::move(request));
  if (call->entry && !refusal) return ask_app(call);
  parser_->body_limit(shared_->options.body_bytes_max);
  if (refusal) {
    keep_alive_ = keep_alive_ && parser_->is_done();  // what follows would be taken for the next request
    return write_reply(std::move(*refusal));
  }
  call_ = std::move(call);
  if (call_->is_signed_in())
    shared_->counts.keep(id_, call_->caller.actor());
  else
    parser_->body_limit(Api::kOpenBodyBytesMax);
  if (parser_->is_done() && !call_->route->traits.streams_body) return handle();
  stream_.tcp().expires_after(shared_->options.body);
  if (parser_->is_done() || !waits_for_leave(parser_->get())) return begin_body();
  static const std::string kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(stream_, asio::buffer(kContinue),
                    [self = shared_from_this()](error_code error, std::size_t) {
                      if (error) return self->close();
                      self->begin_body();
                    });
}

void Connection::begin_body() { call_->route->traits.streams_body ? handle_streamed() : read_body(); }

// The app has the connection until its answer is written.
void Connection::ask_app(const CallPtr& call) {
  stream_.tcp().expires_never();
  shared_->counts.keep(id_, call->caller.actor());
  if (!app_ || !app_->is_of(*call->entry)) {
    const Services& services = shared_->api.services();
    app_ = std::make_shared<AppConnection>(
        services,
        AppConnection::Client{stream_, buffer_, shared_->options.header_bytes_max,
                              shared_->options.app_silence, [this] { close(); }},
        weak_from_this(), *call->entry);
    if (const auto refused = services.streams.add(app_, call->entry->kernel.facts)) {
      app_.reset();
      keep_alive_ = keep_alive_ && parser_->is_done();
      return write_reply(app_problem_page(to_problem(*refused), to_string(call->id),
                                          console_page(call->entry->console, call->entry->app)));
    }
  }
  app_->serve(std::move(*parser_), to_string(call->id), [this](AppConnection::End end) {
    keep_alive_ = end.keep;
    if (end.reply) return write_reply(std::move(*end.reply));
    if (!keep_alive_) return linger();
    await_next_request();
  });
}

void Connection::read_body() {
  http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
    if (error) return self->read_failed(error);
    self->handle();
  });
}

void Connection::read_failed(error_code error) {
  if (error == http::error::body_limit)
    return refuse(
        call_ && !call_->is_signed_in()
            ? make_problem("body-too-large", "the body is larger than 4 KiB", "nothing unsigned needs more")
            : make_problem("body-too-large", "the body is larger than 1 MiB", "ask in several requests"));
  if (error == http::error::buffer_overflow)
    return refuse(make_problem("malformed-request", "what stands around the chunks of the body is too long",
                               "send chunks without extensions, and no trailer"));
  if (error == http::error::header_limit)
    return refuse(make_problem("headers-too-large", "the header is larger than 16 KiB",
                               "no route needs that much: leave out what is not for Berth"));
  if (error == beast::error::timeout) {
    shared_->api.metrics().count_rejected("timeout");
    return close();
  }
  if (is_of_http(error) && error != http::error::end_of_stream && error != http::error::partial_message)
    return refuse(make_problem("malformed-request", "this is no HTTP/1.1 request: " + error.message(),
                               "/openapi.json says what is served; https goes to a server with --tls"));
  close();
}

// Answers and closes: what follows on this connection cannot be told apart any more.
void Connection::refuse(Problem problem) {
  shared_->api.metrics().count_rejected(problem.code.word());
  keep_alive_ = false;
  const std::string id = shared_->api.new_request_id();
  HttpReply reply = problem_reply(problem, id);
  shared_->api.stamp(reply, id);
  write_reply(std::move(reply));
}

// The pending timer keeps this alive; the reply does not, for it may outlive the server.
void Connection::await_reply(std::chrono::seconds patience) {
  stream_.tcp().expires_never();
  timer_.expires_after(patience);
  timer_.async_wait([self = shared_from_this()](error_code cancelled) {
    if (!cancelled) self->close();
  });
}

Reply Connection::reply_here() {
  return [weak = weak_from_this()](HttpReply reply) {
    const auto self = weak.lock();
    if (!self) return;
    const auto executor = self->stream_.get_executor();
    asio::post(executor, [self, reply = std::make_shared<HttpReply>(std::move(reply))] {
      self->timer_.cancel();
      if (self->pieces_) {  // what was not read would be taken for the next request
        self->keep_alive_ = self->keep_alive_ && self->pieces_->is_done();
        self->pieces_.reset();
        self->piece_ = {};
      }
      if (reply->relay) return self->switch_protocols(std::move(*reply));
      if (reply->stream && !self->head_alone_)
        self->begin_stream(std::move(*reply));
      else
        self->write_reply(std::move(*reply));
    });
  };
}

void Connection::handle() {
  await_reply(kHandlingMax);
  const CallPtr call = std::move(call_);
  tell_when_gone(call);
  shared_->api.handle(call, std::move(parser_->get().body()), reply_here());
}

// What waits for its turn is not worked out for nobody.
void Connection::tell_when_gone(const CallPtr& call) {
  stream_.tcp().socket().async_wait(
      tcp::socket::wait_read, [self = shared_from_this(), weak = std::weak_ptr(call)](error_code error) {
        const CallPtr asked = weak.lock();
        if (!error && asked && is_closed(self->stream_.tcp().socket())) asked->gone = true;
      });
}

void Connection::handle_streamed() {
  pieces_.emplace(std::move(*parser_));
  parser_.reset();
  pieces_->body_limit(BodyStream::kBytesMax);
  pieces_until_ = std::chrono::steady_clock::now() + kStreamedBodyMax;
  await_reply(kStreamedBodyMax + kHandlingMax);
  const CallPtr call = std::move(call_);
  shared_->api.handle(call, std::make_shared<Pieces>(weak_from_this()), reply_here());
}

void Connection::read_piece(BodyStream::Read done) {
  if (!pieces_ || !stream_.tcp().socket().is_open()) return done(client_gone());
  if (pieces_->is_done()) return done(std::string());
  piece_.resize(kPiece);
  buffer_.reserve(kUntakenMax);  // Beast reads no more at once than there is room for
  auto& body = pieces_->get().body();
  body.data = piece_.data();
  body.size = piece_.size();
  stream_.tcp().expires_at(pieces_until_);
  http::async_read_some(
      stream_, buffer_, *pieces_,
      [self = shared_from_this(), done = std::move(done)](error_code error, std::size_t) mutable {
        if (!self->pieces_) return done(client_gone());
        self->stream_.tcp().expires_never();
        if (error == http::error::body_limit) return done(to_error(chunk_too_large()));
        if (error && error != http::error::need_buffer) {
          self->close();
          return done(client_gone());
        }
        const std::size_t size = self->piece_.size() - self->pieces_->get().body().size;
        if (size == 0 && !self->pieces_->is_done()) return self->read_piece(std::move(done));
        self->piece_.resize(size);
        done(std::exchange(self->piece_, {}));
      });
}

void Connection::fill(http::fields& fields, const HttpReply& reply) const {
  if (!reply.content_type.empty()) fields.set(http::field::content_type, reply.content_type);
  fields.set(http::field::server, "berth");
  fields.set("X-Content-Type-Options", "nosniff");
  fields.set("Referrer-Policy", "no-referrer");
  fields.set(http::field::cache_control, "no-store");
  for (const auto& [name, value] : reply.headers) fields.set(name, value);
}

void Connection::write_reply(HttpReply reply) {
  response_.emplace();
  response_->version(11);
  response_->result(reply.status);
  fill(*response_, reply);
  response_->body() = std::move(reply.body);
  response_->keep_alive(keep_alive_);
  response_->prepare_payload();
  if (head_alone_) {
    response_->body().clear();
    if (reply.stream_bytes) response_->content_length(*reply.stream_bytes);
  }
  stream_.tcp().expires_after(shared_->options.write);
  http::async_write(stream_, *response_, [self = shared_from_this()](error_code error, std::size_t) {
    if (error) return self->close();
    if (!self->keep_alive_) return self->linger();
    self->await_next_request();
  });
}

// Closing with unread bytes would cost the client the reply: what still comes is thrown away for a while.
void Connection::linger() {
  error_code ignored;
  stream_.tcp().socket().shutdown(tcp::socket::shutdown_send, ignored);
  stream_.tcp().expires_after(kLinger);
  discard();
}

void Connection::discard() {
  stream_.tcp().async_read_some(asio::buffer(scratch_),
                                [self = shared_from_this()](error_code error, std::size_t) {
                                  if (error) return self->close();
                                  self->discard();
                                });
}

void Connection::begin_stream(HttpReply reply) {
  frames_ = std::move(reply.stream);
  stream_head_.emplace();
  stream_head_->version(11);
  stream_head_->result(reply.status);
  fill(*stream_head_, reply);
  in_chunks_ = version_ >= 11 && !reply.stream_bytes;
  if (reply.stream_bytes) stream_head_->content_length(*reply.stream_bytes);
  if (in_chunks_)
    stream_head_->chunked(true);
  else
    stream_head_->keep_alive(false);
  stream_serializer_.emplace(*stream_head_);
  stream_.tcp().expires_after(shared_->options.write);
  http::async_write_header(stream_, *stream_serializer_,
                           [self = shared_from_this()](error_code error, std::size_t) {
                             if (error) return self->close();
                             self->stream_.tcp().expires_never();
                             self->watch_for_close();
                             self->next_batch();
                           });
}

void Connection::switch_protocols(HttpReply reply) {
  if (buffer_.size() > 0)
    return refuse(make_problem("malformed-request", "something stands behind the request for a WebSocket",
                               "wait for the answer, then speak"));
  buffer_.shrink_to_fit();  // nothing is read into it any more
  serve_web_socket({stream_, shared_from_this()}, parser_->get(), std::move(reply),
                   shared_->options.web_socket);
}

// A client that watches sends nothing more: reading tells when it is gone, and keeps this alive meanwhile.
void Connection::watch_for_close() {
  stream_.async_read_some(asio::buffer(scratch_), [self = shared_from_this()](error_code error, std::size_t) {
    if (error) return self->close();
    self->watch_for_close();
  });
}

void Connection::next_batch() {
  if (!frames_) return;
  frames_->next([weak = weak_from_this()](FrameStream::Batch batch) {
    const auto self = weak.lock();
    if (!self) return;
    const auto executor = self->stream_.get_executor();
    asio::post(executor, [self, batch = std::make_shared<FrameStream::Batch>(std::move(batch))] {
      self->write_batch(std::move(*batch));
    });
  });
}

void Connection::write_batch(FrameStream::Batch batch) {
  if (!frames_) return;
  batch_ = std::move(batch);
  std::vector<asio::const_buffer> buffers;
  for (const Frame& frame : batch_.frames) buffers.push_back(asio::buffer(*frame));
  timer_.expires_after(shared_->options.write);
  timer_.async_wait([self = shared_from_this()](error_code cancelled) {
    if (!cancelled) self->close();
  });
  const auto done = [self = shared_from_this()](error_code error, std::size_t) {
    self->timer_.cancel();
    if (error || self->batch_.end) return self->close();
    self->next_batch();
  };
  if (!in_chunks_) return asio::async_write(stream_, buffers, done);
  if (buffers.empty()) return asio::async_write(stream_, http::make_chunk_last(), done);
  if (!batch_.end) return asio::async_write(stream_, http::make_chunk(buffers), done);
  asio::async_write(stream_, http::make_chunk(buffers),
                    [self = shared_from_this(), done](error_code error, std::size_t size) {
                      if (error) return done(error, size);
                      asio::async_write(self->stream_, http::make_chunk_last(), done);
                    });
}

void Connection::close() {
  frames_.reset();
  timer_.cancel();
  error_code ignored;
  stream_.tcp().socket().shutdown(tcp::socket::shutdown_both, ignored);
  stream_.tcp().close();
}

Problem one_too_many(ConnectionCounts::Verdict verdict, const ServerOptions& options) {
  if (verdict == ConnectionCounts::Verdict::kTooMany)
    return make_problem(
        "too-many-connections",
        "this server has as many connections as it may have, " + std::to_string(options.connections_max),
        "try again");
  return make_problem("too-many-connections",
                      "your address has as many connections as one address may have, " +
                          std::to_string(options.connections_per_address_max),
                      "close some, or keep one open for several requests");
}

}  // namespace

void ConnectionShared::add(const std::shared_ptr<AnyConnection>& connection) {
  const std::lock_guard lock(mutex_);
  open_.emplace(connection.get(), connection);
}

void ConnectionShared::remove(const AnyConnection* connection) {
  const std::lock_guard lock(mutex_);
  open_.erase(connection);
}

void ConnectionShared::close_all() {
  std::vector<std::shared_ptr<AnyConnection>> open;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [address, connection] : open_)
      if (auto alive = connection.lock()) open.push_back(std::move(alive));
  }
  for (const auto& connection : open) connection->close();
}

void serve_connection(tcp::socket socket, std::shared_ptr<ConnectionShared> shared) {
  const std::string source = source_of(socket);
  const auto connection = std::make_shared<Connection>(std::move(socket), shared);
  shared->add(connection);
  const auto [verdict, id] = shared->counts.add(source, [weak = std::weak_ptr(connection)] {
    if (const auto other = weak.lock()) other->give_way();
  });
  if (verdict == ConnectionCounts::Verdict::kServe) return connection->serve(id);
  if (shared->turned_away >= kTurnedAwayMax || shared->turned_away >= shared->options.connections_max)
    return shared->api.metrics().count_rejected("closed-at-once");
  connection->turn_away(one_too_many(verdict, shared->options));
}

}  // namespace berth::controller::api
