#include "agents/init/exec.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace berth::init {
namespace {

// What the program itself printed is in its pipes when it ends: less than this. A child of it may go on to
// print.
constexpr std::size_t kAfterEndMax = 1 << 20;
constexpr char kEndOfTransmission = 4;  // Ctrl-D

}  // namespace

Exec::Exec(Helper& helper, Client& client, Child child, bool has_terminal)
    : helper_(helper),
      client_(client),
      child_(std::move(child)),
      has_terminal_(has_terminal),
      outputs_{{has_terminal ? child_.in.get() : child_.out.get(), FrameType::kOut},
               {has_terminal ? -1 : child_.err.get(), FrameType::kErr}},
      left_(kAfterEndMax) {
  helper_.adopt(child_.pid, *this);
  watch();
}

Exec::~Exec() {
  for (const Descriptor* own : {&child_.in, &child_.out, &child_.err}) helper_.loop().forget(own->get());
  if (wait_status_) return;
  hang_up(child_.pid, has_terminal_ ? child_.in.get() : -1);
  helper_.disown(child_.pid);
}

void Exec::typed(std::string_view bytes) {
  if (!child_.in || input_ends_) return;
  untaken_ += bytes;
  write_typed();
}

void Exec::typed_end() {
  if (input_ends_) return;
  if (has_terminal_) typed({&kEndOfTransmission, 1});
  input_ends_ = true;
  write_typed();
}

void Exec::resized(const Size& size) {
  if (has_terminal_) set_size(child_.in, size);
}

void Exec::ready(int fd, std::uint32_t events) {
  for (Output& output : outputs_)
    if (output.fd == fd) output.dry = false;
  if (fd == child_.in.get() && (events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) != 0) write_typed();
  go_on();
}

void Exec::child_ended(int wait_status) {
  wait_status_ = wait_status;
  for (Output& output : outputs_) output.dry = false;
  go_on();
}

void Exec::go_on() {
  for (Output& output : outputs_) copy(output);
  const auto is_done = [this](const Output& output) { return output.fd < 0 || output.dry || left_ == 0; };
  if (wait_status_ && std::all_of(std::begin(outputs_), std::end(outputs_), is_done)) {
    client_.end(ended_by(*wait_status_));
    for (Output& output : outputs_) close(output);
  }
  watch();
}

void Exec::close(Output& output) { helper_.loop().forget(std::exchange(output.fd, -1)); }

// One read while the program runs, so that others get their turn; all that is left at its end.
void Exec::copy(Output& output) {
  char bytes[32 << 10];
  for (bool once = false; output.fd >= 0 && !output.dry && !client_.full() && left_ > 0 && !once;
       once = !wait_status_) {
    const ssize_t got = read(output.fd, bytes, std::min(sizeof bytes, left_));
    if (got > 0) {
      client_.send(output.type, {bytes, static_cast<std::size_t>(got)});
      if (wait_status_) left_ -= static_cast<std::size_t>(got);
    } else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      output.dry = true;
    } else {
      close(output);
    }
  }
}

void Exec::write_typed() {
  while (!untaken_.empty()) {
    const ssize_t wrote = write(child_.in.get(), untaken_.data(), untaken_.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) break;
    if (wrote < 0)
      untaken_ = {};  // the program has closed its input
    else
      untaken_.erase(0, static_cast<std::size_t>(wrote));
  }
  if (untaken_.empty() && input_ends_ && !has_terminal_) close_input();
  client_.hold(!untaken_.empty());
  watch();
}

void Exec::close_input() {
  if (!child_.in) return;
  helper_.loop().forget(child_.in.get());
  child_.in = Descriptor();
}

void Exec::watch() {
  Loop& loop = helper_.loop();
  const std::uint32_t reads = events_if(!client_.full(), EPOLLIN);
  const std::uint32_t writes = events_if(!untaken_.empty(), EPOLLOUT);
  for (const Output& output : outputs_) {
    if (output.fd < 0) continue;
    const bool is_input = output.fd == child_.in.get();
    loop.watch(output.fd, reads | events_if(is_input, writes), *this);
  }
  if (!has_terminal_ && child_.in) loop.watch(child_.in.get(), writes, *this);
}

}  // namespace berth::init
