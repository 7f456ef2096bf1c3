#include "ops/cli/session/copy_stream.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <variant>

#include "ops/cli/output/size_text.h"
#include "ops/cli/output/table.h"
#include "ops/cli/session/inside_open.h"
#include "ops/cli/session/inside_talk.h"

namespace berth::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kAheadMax = 256 << 10;        // bytes that were read here and not sent
constexpr std::size_t kBehindMax = 4 << 20;         // bytes for a stdout that nobody reads
constexpr std::chrono::milliseconds kQuickly{700};  // a copy that takes no longer shows no progress
constexpr std::chrono::milliseconds kBetween{200};

// Of what failed on this machine.
Failure failure_here(const inside::Problem& problem) {
  const Code code = Code::told(problem.code);
  const bool wrong =
      code == "not-found" || code == "not-a-folder" || code == "not-copyable" || code == "several-at-top";
  const bool hostile = code == "tar-damaged" || code == "tar-cut";
  return {wrong ? kUsage : kFailed,
          code,
          problem.message,
          code == "disk-full" ? "make room here, and copy again"
          : hostile           ? "what came out of the kernel is not what its helper says"
                              : "",
          {}};
}

}  // namespace

CopyStream::CopyStream(Shell& shell, WebSocket& socket, RequestSigner sign, CopyAim aim)
    : shell_(shell),
      socket_(socket),
      sign_(std::move(sign)),
      aim_(std::move(aim)),
      notes_([this](const std::string& line) { tell(line + "\n"); }),
      started_(Clock::now()),
      shown_(started_) {}

Outcome<int> CopyStream::run() {
  const bool takes = aim_.request.what == inside::Request::What::kPack;
  if (aim_.local == "-") return takes ? take_stream() : send_stream();
  return takes ? take_path() : send_path();
}

Outcome<int> CopyStream::send_path() {
  if (::access(aim_.local.c_str(), R_OK) != 0)  // before anybody is asked
    return failure_here({errno == ENOENT ? "not-found" : "denied", "cannot read '" + aim_.local + "'"});
  if (!begin()) return parting();
  const auto problem = copy::pack(
      aim_.local, [this](std::string_view bytes) { return send(bytes); }, notes_);
  if (problem && !over()) fail(*problem);
  end_input();
  return parting();
}

Outcome<int> CopyStream::send_stream() {
  if (!begin()) return parting();
  std::string bytes(copy::kPieceMax, '\0');
  for (bool more = true; more && !over();) {
    const bool ready = hear({{shell_.world().descriptors.in, false, false}}, Api::never());
    if (over() || !ready) continue;
    const ssize_t got = ::read(shell_.world().descriptors.in, bytes.data(), bytes.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    more = got > 0;
    if (more) send(std::string_view(bytes).substr(0, static_cast<std::size_t>(got)));
  }
  end_input();
  return parting();
}

Outcome<int> CopyStream::take_path() {
  const std::string top = copy::top_of(aim_.request.path);
  copy::Unpacker unpacker({.path = aim_.local, .top = top == "." ? "" : top}, notes_);
  if (const auto problem = unpacker.open()) return failure_here(*problem);
  unpacker_ = &unpacker;
  for (begin(); !over();) hear({}, Api::never());
  if (!failure_)
    if (const auto problem = unpacker.finish()) fail(*problem);
  return parting();
}

Outcome<int> CopyStream::take_stream() {
  LocalOutput output(shell_.world().descriptors.out, shell_.world().descriptors.err);
  output_ = &output;
  for (begin(); !over() && !output.is_reader_gone() && !output.error();) {
    std::vector<Watch> watches;
    if (output.size() > 0) watches.push_back({output.descriptor(), true, false});
    hear(std::move(watches), Api::never(), output.size() < kBehindMax);
    output.write();
  }
  output.finish();
  if (output.error()) return failure_of(*output.error());
  if (output.is_reader_gone()) return kReaderGone;
  return parting();
}

bool CopyStream::begin() {
  auto first = first_message(aim_.request);
  if (!first) fail(first.failure());
  if (failure_) return false;
  if (const auto opened = open_inside(shell_, socket_, sign_, aim_.target); !opened) fail(opened.failure());
  if (failure_) return false;
  socket_.send(std::move(*first));
  while (!begun_ && !over()) hear({}, Api::never());
  return !over();
}

bool CopyStream::send(std::string_view bytes) {
  hear({}, Clock::now());
  while (!over() && socket_.unsent() >= kAheadMax) hear({}, Api::never());
  if (over()) return false;
  socket_.send({true, std::string(bytes)});
  show_progress(bytes.size());
  return true;
}

// The kernel says then how it ended.
void CopyStream::end_input() {
  if (!over()) socket_.send(end_of_input_message());
  while (!over()) hear({}, Api::never());
}

bool CopyStream::hear(std::vector<Watch> watches, WebSocket::Deadline deadline, bool messages) {
  watches.push_back({interrupts_.descriptor(), false, false});
  Woken woken;
  if (!interrupts_.caught()) woken = socket_.wait(watches, messages, deadline);
  if (interrupts_.caught()) fail(interrupted_failure());
  if (woken.message) take(std::move(*woken.message));
  if (woken.end && !over()) take_end(*woken.end);
  return watches.front().ready;
}

void CopyStream::take(SocketMessage message) {
  auto heard = heard_in(std::move(message));
  if (!heard) return fail(heard.failure());
  if (auto* const problem = std::get_if<Failure>(&*heard)) return fail(std::move(*problem));
  if (const auto* const ended = std::get_if<inside::Ended>(&*heard)) ended_ = *ended;
  if (std::holds_alternative<inside::Begun>(*heard)) begun_ = true;
  if (const auto* const err = std::get_if<inside::Err>(&*heard)) tell(said_.shown(err->bytes));
  auto* const out = std::get_if<inside::Out>(&*heard);
  if (out == nullptr) return;
  show_progress(out->bytes.size());
  if (output_ != nullptr) output_->add_out(std::move(out->bytes));
  if (unpacker_ == nullptr) return;
  if (const auto problem = unpacker_->take(out->bytes)) fail(*problem);
}

void CopyStream::take_end(const SocketEnd& end) {
  const std::string why = end.reason.empty() ? "closed with code " + std::to_string(end.code) : end.reason;
  fail({kUnreachable,
        "connection-lost",
        "the connection was lost while files were copied: " + why,
        "a file is there whole or not at all; copy again",
        {}});
}

void CopyStream::fail(Failure failure) {
  if (!failure_) failure_ = std::move(failure);
}

void CopyStream::fail(const inside::Problem& problem) { fail(failure_here(problem)); }

void CopyStream::tell(std::string_view lines) {
  shell_.end_status();
  shell_.err() << printable_lines(lines) << std::flush;
}

void CopyStream::show_progress(std::size_t bytes) {
  bytes_ += bytes;
  const auto now = Clock::now();
  if (!shell_.world().err_is_terminal || now - started_ < kQuickly || now - shown_ < kBetween) return;
  shown_ = now;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now - started_).count();
  shell_.status(size_text(bytes_) + ", " +
                size_text(bytes_ * 1000 / static_cast<std::uint64_t>(std::max<std::int64_t>(ms, 1))) + "/s");
}

Outcome<int> CopyStream::parting() {
  socket_.close();
  shell_.end_status();
  if (failure_) return *failure_;
  if (notes_.count() > 0 || ended_->code != 0)
    return Failure{kFailed, "left-out", "not all was copied: what is missing is named above", "", {}};
  return kOk;
}

}  // namespace berth::cli
