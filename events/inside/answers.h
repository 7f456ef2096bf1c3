// Answers: what comes out of a kernel, as values. Its root may have put anything in the helper's place, so
// every frame is checked, and texts in them are printable and at most 1 KiB. Of a path control characters are
// replaced alone: it may be in any language, and need not be UTF-8. Standard library only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "events/inside/frames.h"
#include "events/inside/messages.h"

namespace berth::inside {

// Bytes of stdout or of the terminal.
struct Out {
  std::string bytes;
};
// Bytes of stderr.
struct Err {
  std::string bytes;
};
// So many bytes of a shell's output come no more: this channel was read too slowly.
struct Lost {
  std::uint64_t bytes = 0;
};
// Ended and Problem are the last.
using Answer = std::variant<Begun, Out, Err, Lost, ShellEntry, AppEntry, LossSum, LossEntry, Ended, Problem>;

// nullopt: the frame is no answer.
std::optional<Answer> answer_in(const Frame& frame);
// The frame that says it.
void append_answer(std::string& out, const Answer& answer);
bool is_last(const Answer& answer);
// Whether it answers a question about shells or losses, and is none of a program, a terminal or an app.
bool is_of_inquiry(const Answer& answer);

}  // namespace berth::inside
