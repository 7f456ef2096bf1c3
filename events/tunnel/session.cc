#include "events/tunnel/session.h"

#include <algorithm>
#include <charconv>

namespace berth::tunnel {
namespace {

// Only streams hold one another back: what a connection takes in all is at once given to its streams.
constexpr std::int32_t kConnectionWindow = 16 << 20;
constexpr std::uint64_t kResetsASecond = 33;  // libnghttp2's own
constexpr std::size_t kFrameHeadBytes = 9;
constexpr ssize_t kFrameBytes =
    kTlsRecordBytes - kFrameHeadBytes;  // of a body: a frame fills a record of TLS
// Of bodies in one fill(): the other side is at work with them while the next are made.
constexpr std::size_t kFilledAtOnce = kReadBytesMax;
constexpr std::size_t kHeaderBlockBytesMax = 4 * kHeaderBytesMax;  // libnghttp2 reckons with the worst coding

template <class T, class Free> using Owned = std::unique_ptr<T, Free>;

Owned<nghttp2_option, decltype(&nghttp2_option_del)> options(const Limits& limits) {
  nghttp2_option* made = nullptr;
  nghttp2_option_new(&made);
  nghttp2_option_set_no_auto_window_update(made, 1);
  nghttp2_option_set_no_closed_streams(made, 1);
  nghttp2_option_set_peer_max_concurrent_streams(made, static_cast<std::uint32_t>(limits.streams_max));
  nghttp2_option_set_stream_reset_rate_limit(made, limits.resets_max, kResetsASecond);
  nghttp2_option_set_max_send_header_block_length(made, kHeaderBlockBytesMax);
  return {made, &nghttp2_option_del};
}

nghttp2_nv field(std::string_view name, std::string_view value) {
  auto* const of_name = reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data()));
  auto* const of_value = reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data()));
  return {of_name, of_value, name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

void append(std::vector<nghttp2_nv>& fields, const Headers& headers) {
  for (const auto& [name, value] : headers) fields.push_back(field(name, value));
}

ssize_t frame_size(nghttp2_session*, std::uint8_t, std::int32_t, std::int32_t connection_window,
                   std::int32_t stream_window, std::uint32_t, void*) {
  return std::min<ssize_t>(kFrameBytes, std::min(connection_window, stream_window));
}

}  // namespace

struct Session::Callbacks {
  static Session& of(void* user) { return *static_cast<Session*>(user); }

  static int begin(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    return frame->hd.type == NGHTTP2_HEADERS ? of(user).begin(frame->hd.stream_id) : 0;
  }
  static int header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size, std::uint8_t,
                    void* user) {
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    return of(user).add_header(frame->hd.stream_id, {reinterpret_cast<const char*>(name), name_size},
                               {reinterpret_cast<const char*>(value), value_size});
  }
  static int frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    const auto& head = frame->hd;
    if (head.type == NGHTTP2_HEADERS) of(user).end_head(head.stream_id);
    const bool may_end = head.type == NGHTTP2_HEADERS || head.type == NGHTTP2_DATA;
    if (may_end && (head.flags & NGHTTP2_FLAG_END_STREAM) != 0)
      if (auto* const stream = of(user).find(head.stream_id)) stream->give_end();
    return 0;
  }
  static int data(nghttp2_session* http, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                  std::size_t size, void* user) {
    of(user).give(id, {reinterpret_cast<const char*>(bytes), size});
    return nghttp2_session_consume_connection(http, size);
  }
  // How much of a body there is: send() takes it, and nothing happens to the stream before.
  static ssize_t read_body(nghttp2_session*, std::int32_t id, std::uint8_t*, std::size_t size,
                           std::uint32_t* flags, nghttp2_data_source* source, void* user) {
    Session& self = of(user);
    bool end = false;
    const std::size_t count = static_cast<const StreamState*>(source->ptr)->has_to_send(size, end);
    if (count == 0 && !end) return NGHTTP2_ERR_DEFERRED;
    if (self.filled_ >= kFilledAtOnce) {
      self.held_.push_back(id);
      return NGHTTP2_ERR_DEFERRED;
    }
    self.filled_ += kFrameHeadBytes + count;
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (end) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }
  static nghttp2_data_provider body_of(StreamState& stream) {
    nghttp2_data_provider body;
    body.source.ptr = &stream;
    body.read_callback = &read_body;
    return body;
  }
  // A frame of a body, which read_body() has announced, from where it lies to where it leaves from.
  static int send(nghttp2_session*, nghttp2_frame*, const std::uint8_t* head, std::size_t size,
                  nghttp2_data_source* source, void* user) {
    std::string& out = *of(user).filling_;
    out.append(reinterpret_cast<const char*>(head), kFrameHeadBytes);
    auto* const stream = static_cast<StreamState*>(source->ptr);
    if (size > 0) of(user).unbegun_.erase(stream->id());
    stream->take(out, size);
    return out.size() < kTlsRecordBytes || of(user).hooks_.full() ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
  }
  static int close(nghttp2_session*, std::int32_t id, std::uint32_t code, void* user) {
    code == NGHTTP2_REFUSED_STREAM ? of(user).give_back(id) : of(user).end_stream(id, code);
    return 0;
  }
  // A question that cannot leave, since the other side says that it takes no more.
  static int unsent(nghttp2_session*, const nghttp2_frame* frame, int, void* user) {
    if (frame->hd.type == NGHTTP2_HEADERS) of(user).give_back(frame->hd.stream_id);
    return 0;
  }
};

Session::Session(Role role, const Limits& limits, SessionHooks hooks)
    : role_(role), limits_(limits), hooks_(std::move(hooks)) {
  nghttp2_session_callbacks* made = nullptr;
  nghttp2_session_callbacks_new(&made);
  const Owned<nghttp2_session_callbacks, decltype(&nghttp2_session_callbacks_del)> callbacks(
      made, &nghttp2_session_callbacks_del);
  nghttp2_session_callbacks_set_on_begin_headers_callback(made, &Callbacks::begin);
  nghttp2_session_callbacks_set_on_header_callback(made, &Callbacks::header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(made, &Callbacks::frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, &Callbacks::data);
  nghttp2_session_callbacks_set_send_data_callback(made, &Callbacks::send);
  nghttp2_session_callbacks_set_data_source_read_length_callback(made, &frame_size);
  nghttp2_session_callbacks_set_on_stream_close_callback(made, &Callbacks::close);
  nghttp2_session_callbacks_set_on_frame_not_send_callback(made, &Callbacks::unsent);

  const auto chosen = options(limits_);
  nghttp2_session* http = nullptr;
  if (role == Role::kClient)
    nghttp2_session_client_new2(&http, made, this, chosen.get());
  else
    nghttp2_session_server_new2(&http, made, this, chosen.get());
  http_.reset(http);

  const auto streams = role == Role::kServer ? static_cast<std::uint32_t>(limits_.streams_max) : 0;
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kBufferedBytesMax},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kHeaderBytesMax},
  };
  nghttp2_submit_settings(http, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(http, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

Session::~Session() { close(make_error(kLost, "the connection is closed")); }

void Session::open(const std::shared_ptr<StreamState>& stream, const Question& question) {
  std::vector<nghttp2_nv> fields = {field(":method", question.method), field(":scheme", "https"),
                                    field(":authority", "agent"), field(":path", question.path)};
  append(fields, question.headers);
  const auto body = Callbacks::body_of(*stream);
  const auto id =
      nghttp2_submit_request(http_.get(), nullptr, fields.data(), fields.size(), &body, stream.get());
  if (id < 0) {  // a billion streams in one connection: the next one gets a new connection
    nghttp2_session_terminate_session(http_.get(), NGHTTP2_NO_ERROR);
    return stream->end(make_error(kLost, std::string("no stream can be opened: ") + nghttp2_strerror(id)));
  }
  stream->attach(this, id);
  streams_.emplace(id, stream);
  unbegun_.emplace(id, question);
  hooks_.wake();
}

bool Session::receive(std::string_view bytes) {
  const auto* const from = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return nghttp2_session_mem_recv(http_.get(), from, bytes.size()) >= 0;
}

void Session::tell_given() {
  for (const auto& stream : std::exchange(given_, {})) stream->tell_given();
}

void Session::give(std::int32_t id, std::string_view bytes) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  found->second->give(bytes);
  if (given_.empty() || given_.back() != found->second) given_.push_back(found->second);
}

bool Session::fill(std::string& out) {
  filling_ = &out;
  filled_ = 0;
  for (const std::int32_t id : std::exchange(held_, {})) nghttp2_session_resume_data(http_.get(), id);
  for (;;) {
    const std::uint8_t* bytes = nullptr;
    const auto count = nghttp2_session_mem_send(http_.get(), &bytes);
    if (count <= 0) return count == 0;
    out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
  }
}

bool Session::takes_questions() const { return nghttp2_session_check_request_allowed(http_.get()) != 0; }

void Session::ping() {
  nghttp2_submit_ping(http_.get(), NGHTTP2_FLAG_NONE, nullptr);
  hooks_.wake();
}

bool Session::done() const {
  return nghttp2_session_want_read(http_.get()) == 0 && nghttp2_session_want_write(http_.get()) == 0;
}

void Session::close(const Error& error) {
  for (const auto& [id, stream] : std::exchange(streams_, {})) stream->end(error);
}

void Session::answer(StreamState& stream, const Answer& answer) {
  const std::string status = std::to_string(answer.status);
  std::vector<nghttp2_nv> fields = {field(":status", status)};
  append(fields, answer.headers);
  const auto body = Callbacks::body_of(stream);
  nghttp2_submit_response(http_.get(), stream.id(), fields.data(), fields.size(), &body);
  hooks_.wake();
}

void Session::resume(StreamState& stream) {
  nghttp2_session_resume_data(http_.get(), stream.id());
  hooks_.wake();
}

void Session::consume(StreamState& stream, std::size_t bytes) {
  nghttp2_session_consume_stream(http_.get(), stream.id(), bytes);
  hooks_.wake();
}

void Session::reset(StreamState& stream, std::uint32_t code) {
  nghttp2_submit_rst_stream(http_.get(), NGHTTP2_FLAG_NONE, stream.id(), code);
  hooks_.wake();
}

StreamState* Session::find(std::int32_t id) const {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.get();
}

int Session::begin(std::int32_t id) {
  heads_.try_emplace(id);
  if (role_ == Role::kClient || find(id) != nullptr) return 0;
  const auto stream = hooks_.make();
  stream->attach(this, id);
  streams_.emplace(id, stream);
  return 0;
}

// Of trailers, too, which nobody is given.
int Session::add_header(std::int32_t id, std::string_view name, std::string_view value) {
  const auto found = heads_.find(id);
  if (found == heads_.end()) return 0;
  Head& head = found->second;
  head.bytes += name.size() + value.size() + 32;
  if (head.bytes > kHeaderBytesMax) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // resets the stream
  if (name == ":method")
    head.question.method = value;
  else if (name == ":path")
    head.question.path = value;
  else if (name == ":status")
    std::from_chars(value.data(), value.data() + value.size(), head.answer.status);
  else if (!name.starts_with(':'))
    (role_ == Role::kServer ? head.question.headers : head.answer.headers).emplace_back(name, value);
  return 0;
}

void Session::end_head(std::int32_t id) {
  auto head = heads_.extract(id);
  const auto stream = streams_.find(id);
  if (head.empty() || stream == streams_.end()) return;
  const std::shared_ptr<StreamState> held = stream->second;
  unbegun_.erase(id);
  if (role_ == Role::kClient)
    held->give_answer(std::move(head.mapped().answer));
  else if (!head.mapped().question.method.empty() && !head.mapped().question.path.empty())
    hooks_.asked(std::move(head.mapped().question), held);
}

void Session::give_back(std::int32_t id) {
  auto question = unbegun_.extract(id);
  const auto found = streams_.find(id);
  if (question.empty() || found == streams_.end() || !found->second->detach())
    return end_stream(id, NGHTTP2_REFUSED_STREAM);
  const std::shared_ptr<StreamState> stream = found->second;
  streams_.erase(found);
  hooks_.unasked(stream, std::move(question.mapped()));
}

void Session::end_stream(std::int32_t id, std::uint32_t code) {
  heads_.erase(id);
  unbegun_.erase(id);
  const auto stream = streams_.extract(id);
  if (stream.empty()) return;
  if (code == NGHTTP2_NO_ERROR) return stream.mapped()->end(std::nullopt);
  stream.mapped()->end(
      make_error(kReset, "the other side gave the stream up (code " + std::to_string(code) + ")"),
      StreamState::Came::kIsRead);
}

}  // namespace berth::tunnel
