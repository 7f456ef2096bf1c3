#include "agents/init/copy.h"

#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "events/copy/files/pack.h"
#include "events/copy/files/unpack.h"

namespace berth::init {
namespace {

using inside::FrameType;
using inside::Problem;
using inside::Request;

std::optional<Problem> unpack_all(Line& line, const std::string& path, copy::Notes& notes, bool& gone) {
  copy::Unpacker unpacker({.path = path, .links_out = true}, notes);
  if (auto problem = unpacker.open()) return problem;
  while (const auto frame = line.next()) {
    if (frame->type == FrameType::kInEnd) return unpacker.finish();
    if (frame->type != FrameType::kIn) return Problem{"unknown-frame", "only bytes of a tar stream may come"};
    if (auto problem = unpacker.take(frame->payload)) return problem;
  }
  gone = !line.broken();
  return Problem{"frame-too-long", "a frame has at most 64 KiB"};
}

void copy_all(const Request& request, Line& line, std::uint32_t restarts) {
  // Where it cannot be entered, paths are of the folder in which the kernel works.
  if (const char* const home = std::getenv("HOME"); home != nullptr) [[maybe_unused]]
    const int entered = chdir(home);
  copy::Notes notes([&line](const std::string& text) { line.send(FrameType::kErr, text + "\n"); });
  if (!line.send(FrameType::kBegun, encode(inside::Begun{.restarts = restarts}))) return;
  bool gone = false;
  const auto send_on = [&](std::string_view bytes) { return !(gone = !line.send(FrameType::kOut, bytes)); };
  const auto problem = request.what == Request::What::kPack ? copy::pack(request.path, send_on, notes)
                                                            : unpack_all(line, request.path, notes, gone);
  if (gone) return;
  if (problem)
    line.send(FrameType::kError, encode(*problem));
  else
    line.send(FrameType::kEnded, encode(inside::Ended{.code = notes.count() > 0 ? 1 : 0}));
}

}  // namespace

pid_t start_copy(const Request& request, const Taken& taken, std::uint32_t restarts) {
  return start_aside(taken, "berth-copy", [&](Line& line) { copy_all(request, line, restarts); });
}

}  // namespace berth::init
