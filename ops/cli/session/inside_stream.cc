#include "ops/cli/session/inside_stream.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "ops/cli/output/table.h"
#include "ops/cli/problem_codes.h"
#include "ops/cli/session/inside_open.h"

namespace berth::cli {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kUnsentMax = 256 << 10;   // bytes of stdin that were read and not sent
constexpr std::size_t kUnwrittenMax = 4 << 20;  // bytes for a stdout that nobody reads; then the server waits
constexpr std::size_t kReadAtOnce = 32 << 10;
constexpr std::chrono::seconds kConnectMax{10};
constexpr std::chrono::seconds kBackMax{60};

Failure connection_lost(const std::string& why, bool shell) {
  return {kUnreachable,
          "connection-lost",
          shell ? "the connection was lost, and could not be made again: " + why
                : "the connection was lost while the program ran: " + why,
          shell ? "the shell goes on as long as its kernel: come back later"
                : "a program of exec is hung up with its connection (SIGHUP); one of `berth shell` goes on",
          {}};
}

}  // namespace

InsideStream::InsideStream(Shell& shell, WebSocket& socket, RequestSigner sign, InsideAim aim)
    : shell_(shell),
      socket_(socket),
      sign_(std::move(sign)),
      aim_(std::move(aim)),
      is_shell_(aim_.request.what == inside::Request::What::kShell),
      typed_raw_((is_shell_ || aim_.request.terminal) && ::isatty(shell.world().descriptors.in) == 1),
      output_(shell.world().descriptors.out, shell.world().descriptors.err) {}

Outcome<int> InsideStream::run() {
  if (const auto opened = open_inside(shell_, socket_, sign_, aim_.target); !opened) return opened.failure();
  for (;;) {
    Way way = talk();
    if (way == Way::kCut && is_shell_ && ever_begun_) way = come_back();
    if (way == Way::kGoesOn) continue;
    return parting(way);
  }
}

InsideStream::Way InsideStream::talk() {
  begun_ = false;
  const int of_terminal = typed_raw_ ? shell_.world().descriptors.in : shell_.world().descriptors.out;
  if (const auto size = terminal_size(of_terminal)) {
    aim_.request.size = *size;
    if (is_shell_) aim_.request.terminal = true;
  }
  auto first = first_message(aim_.request);
  if (!first) return fail(first.failure());
  socket_.send(std::move(*first));
  for (;;) {
    output_.write();
    if (output_.is_reader_gone() || output_.error()) return Way::kOutputGone;
    auto awaited = watches();
    auto woken = socket_.wait(awaited, output_.size() < kUnwrittenMax,
                              begun_ ? Api::never() : back_until_.value_or(Api::never()));
    Way way = take_ready(awaited);
    if (way == Way::kGoesOn && woken.message) way = take(std::move(*woken.message));
    if (way == Way::kGoesOn && woken.end) way = take_end(*woken.end);
    if (way != Way::kGoesOn) return way;
    if (!begun_ && back_until_ && Clock::now() >= *back_until_) return Way::kCut;
  }
}

// kGoesOn: there is a connection again.
InsideStream::Way InsideStream::come_back() {
  if (!back_until_) {
    note("the connection is lost; trying for " + std::to_string(kBackMax.count()) + " s to come back" +
         (terminal_ ? " (Ctrl-] . leaves)" : ""));
    back_until_ = Clock::now() + kBackMax;
    back_attempts_ = 0;
  }
  aim_.request.existing = true;
  begun_ = false;
  socket_.close();
  while (Clock::now() < *back_until_) {
    if (const Way way = pause(pause_before_attempt(back_attempts_++)); way != Way::kGoesOn) return way;
    const auto opened =
        connect_inside(socket_, sign_, aim_.target, std::min(*back_until_, Clock::now() + kConnectMax));
    if (opened) return Way::kGoesOn;
    if (!is_passing(opened.failure())) return fail(opened.failure());
    failure_ = opened.failure();
  }
  return fail(connection_lost(failure_.message, true));
}

// Between two attempts what is typed is for nobody, but that one leaves.
InsideStream::Way InsideStream::pause(milliseconds duration) {
  const auto until = Clock::now() + duration;
  while (Clock::now() < until) {
    output_.write();
    if (output_.is_reader_gone() || output_.error()) return Way::kOutputGone;
    auto awaited = watches();
    socket_.wait(awaited, false, until);
    if (const Way way = take_ready(awaited); way != Way::kGoesOn) return way;
  }
  return Way::kGoesOn;
}

// While a terminal is raw its keys are read, if only for the escapes; else stdin waits for the program.
std::vector<Watch> InsideStream::watches() const {
  std::vector<Watch> watches;
  const auto& here = shell_.world().descriptors;
  if (!input_ended_ && (begun_ || terminal_) && socket_.unsent() < kUnsentMax)
    watches.push_back({here.in, false, false});
  if (terminal_) watches.push_back({terminal_->changes(), false, false});
  if (aim_.interrupts != nullptr) watches.push_back({aim_.interrupts->descriptor(), false, false});
  if (output_.size() > 0) watches.push_back({output_.descriptor(), true, false});
  return watches;
}

InsideStream::Way InsideStream::take_ready(const std::vector<Watch>& watches) {
  for (const Watch& watch : watches) {
    if (!watch.ready || watch.to_write) continue;
    if (terminal_ && watch.descriptor == terminal_->changes()) {
      terminal_->take_changes();
      tell_size();
    } else if (aim_.interrupts != nullptr && watch.descriptor == aim_.interrupts->descriptor()) {
      return fail(interrupted_failure());
    } else if (const Way way = read_input(); way != Way::kGoesOn) {
      return way;
    }
  }
  return Way::kGoesOn;
}

InsideStream::Way InsideStream::read_input() {
  std::string bytes(kReadAtOnce, '\0');
  const ssize_t got = ::read(shell_.world().descriptors.in, bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return Way::kGoesOn;
  if (got <= 0) return end_input();
  bytes.resize(static_cast<std::size_t>(got));
  bool detach = false;
  if (terminal_) {
    Typed typed = escapes_.take(bytes);
    if (typed.help) note(kEscapeHelp);
    detach = typed.detach;
    bytes = std::move(typed.bytes);
  }
  if (begun_ && !bytes.empty()) {
    if (terminal_) tell_size();  // keys come behind the size that they were typed at
    socket_.send({true, std::move(bytes)});
  }
  return detach ? Way::kDetached : Way::kGoesOn;
}

// A terminal that went away takes nobody's shell with it.
InsideStream::Way InsideStream::end_input() {
  input_ended_ = true;
  if (terminal_) return Way::kDetached;
  if (!is_shell_) socket_.send(end_of_input_message());  // nobody types any more, which ends no shell
  return Way::kGoesOn;
}

void InsideStream::tell_size() {
  const auto size = terminal_size(shell_.world().descriptors.in);
  if (!size || !begun_ ||
      (size->columns == aim_.request.size.columns && size->rows == aim_.request.size.rows))
    return;
  aim_.request.size = *size;
  socket_.send(size_message(*size));
}

InsideStream::Way InsideStream::take(SocketMessage message) {
  auto heard = heard_in(std::move(message));
  if (!heard) return fail(heard.failure());
  if (!begun_ && !std::holds_alternative<inside::Begun>(*heard) && !std::holds_alternative<Failure>(*heard))
    return fail(
        {kFailed, kNotBerthCode, "this is no message of Berth: it says what it has not begun", {}, {}});
  return std::visit([this](auto& said) { return take(std::move(said)); }, *heard);
}

InsideStream::Way InsideStream::take(const inside::Begun& begun) {
  const bool again = ever_begun_;
  begun_ = ever_begun_ = true;
  back_until_.reset();
  place_ = begun.lost;
  const bool is_same = again && seen_ <= begun.lost + begun.scrollback;
  if (!is_same) seen_ = place_;
  if (typed_raw_ && !terminal_) terminal_.emplace(shell_.world().descriptors.in);
  if (terminal_) tell_size();  // it may have changed since
  if (again)
    note(is_same ? "back in " + aim_.name
                 : "back, but in another " + aim_.name + ": the one before has ended");
  else
    tell_begin(begun);
  if (place_ > seen_) take(inside::Lost{0});
  return Way::kGoesOn;
}

void InsideStream::tell_begin(const inside::Begun& begun) {
  if (!is_shell_ || !terminal_) return;
  if (begun.made && begun.restarts > 0)
    note("the helper of this kernel has died before, and its shells with it: " + aim_.name + " is new");
  note(aim_.name + (begun.made ? "; Ctrl-] . detaches, Ctrl-] ? shows more"
                               : ", as it was left; Ctrl-] . detaches, Ctrl-] ? shows more"));
}

InsideStream::Way InsideStream::take(inside::Out out) {
  const std::uint64_t known = std::min<std::uint64_t>(seen_ - std::min(seen_, place_), out.bytes.size());
  place_ += out.bytes.size();
  out.bytes.erase(0, known);
  if (out.bytes.empty()) return Way::kGoesOn;
  seen_ = place_;
  last_shown_ = out.bytes.back();
  if (terminal_) modes_.see(out.bytes);
  output_.add_out(std::move(out.bytes));
  return Way::kGoesOn;
}

InsideStream::Way InsideStream::take(inside::Err err) {
  if (!err.bytes.empty()) last_shown_ = err.bytes.back();
  output_.add_err(std::move(err.bytes));
  return Way::kGoesOn;
}

InsideStream::Way InsideStream::take(const inside::Lost& lost) {
  place_ += lost.bytes;
  if (place_ <= seen_) return Way::kGoesOn;
  note(std::to_string(place_ - seen_) + " bytes of its output are not here any more");
  seen_ = place_;
  return Way::kGoesOn;
}

InsideStream::Way InsideStream::take(const inside::Ended& ended) {
  exit_ = exit_code_of(ended);
  return Way::kEnded;
}

InsideStream::Way InsideStream::take(Failure problem) {
  failure_ = std::move(problem);
  return is_passing(failure_) ? Way::kCut : Way::kFailed;
}

InsideStream::Way InsideStream::take_end(const SocketEnd& end) {
  constexpr std::uint16_t kPolicyViolation = 1008, kMessageTooBig = 1009;
  const std::string why = end.reason.empty() ? "closed with code " + std::to_string(end.code) : end.reason;
  failure_ = connection_lost(why, is_shell_);
  return end.code == kPolicyViolation || end.code == kMessageTooBig ? Way::kFailed : Way::kCut;
}

InsideStream::Way InsideStream::fail(Failure failure) {
  failure_ = std::move(failure);
  return Way::kFailed;
}

// On a line of its own: its program's last one may have no end.
void InsideStream::note(const std::string& text) {
  if (shell_.quiet()) return;
  const char* const line_end = terminal_ ? "\r\n" : "\n";
  std::string lines = last_shown_ == '\n' ? "" : line_end;
  for (std::string_view rest = text; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    lines += printable(rest.substr(0, end)) + line_end;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  last_shown_ = '\n';
  output_.add_err(std::move(lines));
}

Outcome<int> InsideStream::parting(Way way) {
  const bool was_raw = terminal_.has_value();
  if (way != Way::kEnded) output_.add_out(modes_.undo());
  if (way != Way::kOutputGone) output_.finish();
  socket_.close();
  terminal_.reset();
  const auto& error = output_.error();
  if (error) return failure_of(*error);
  if (output_.is_reader_gone()) return kReaderGone;
  if (way == Way::kEnded) return exit_;
  if (was_raw && last_shown_ != '\n') shell_.err() << std::endl;
  if (way != Way::kDetached) return std::move(failure_);
  if (!is_shell_) {
    shell_.note("left; the program is hung up (SIGHUP)");
    return 128 + SIGHUP;
  }
  shell_.note("detached; " + aim_.name + " goes on: `" + aim_.again + "` comes back");
  return kOk;
}

}  // namespace berth::cli
