#include "events/inside/answers.h"

#include <algorithm>

namespace berth::inside {
namespace {

constexpr std::size_t kTextMax = 1024;  // bytes

// What stands in a text for people: nothing that a terminal or a page would obey. `also`: a character more.
std::string printable(std::string text, char also = ' ') {
  text.resize(std::min(text.size(), kTextMax));
  for (char& c : text)
    if ((c < ' ' || c > '~') && c != also) c = '?';
  return text;
}

// A path for people, in whatever language they name their files.
std::string without_controls(std::string path) {
  for (char& c : path)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  return path;
}

bool is_code(std::string_view text) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), fits);
}

}  // namespace

std::optional<Answer> answer_in(const Frame& frame) {
  const auto if_good = [](auto value) -> std::optional<Answer> {
    if (!value) return std::nullopt;
    return std::move(*value);
  };
  switch (frame.type) {
    case FrameType::kBegun: return if_good(decode_begun(frame.payload));
    case FrameType::kOut: return Out{std::string(frame.payload)};
    case FrameType::kErr: return Err{std::string(frame.payload)};
    case FrameType::kEnded: return if_good(decode_ended(frame.payload));
    case FrameType::kLost: {
      const auto bytes = decode_lost(frame.payload);
      return bytes ? std::optional<Answer>(Lost{*bytes}) : std::nullopt;
    }
    case FrameType::kShell: {
      auto shell = decode_shell(frame.payload);
      if (shell) shell->command = printable(std::move(shell->command));
      return if_good(std::move(shell));
    }
    case FrameType::kApp: {
      auto app = decode_app(frame.payload);
      if (app) app->log = printable(std::move(app->log), '\n');
      return if_good(std::move(app));
    }
    case FrameType::kLossSum: return if_good(decode_loss_sum(frame.payload));
    case FrameType::kLoss: {
      auto loss = decode_loss(frame.payload);
      if (loss) loss->path = without_controls(std::move(loss->path));
      return if_good(std::move(loss));
    }
    case FrameType::kError: {
      auto problem = decode_problem(frame.payload);
      if (!problem || !is_code(problem->code)) return std::nullopt;
      problem->message = printable(std::move(problem->message));
      return if_good(std::move(problem));
    }
    default: return std::nullopt;
  }
}

void append_answer(std::string& out, const Answer& answer) {
  struct Frames {
    std::string& out;
    void operator()(const Begun& begun) const { append_frame(out, FrameType::kBegun, encode(begun)); }
    void operator()(const Out& got) const { append_frame(out, FrameType::kOut, got.bytes); }
    void operator()(const Err& got) const { append_frame(out, FrameType::kErr, got.bytes); }
    void operator()(const Lost& lost) const { append_frame(out, FrameType::kLost, encode_lost(lost.bytes)); }
    void operator()(const ShellEntry& entry) const { append_frame(out, FrameType::kShell, encode(entry)); }
    void operator()(const AppEntry& entry) const { append_frame(out, FrameType::kApp, encode(entry)); }
    void operator()(const LossSum& sum) const { append_frame(out, FrameType::kLossSum, encode(sum)); }
    void operator()(const LossEntry& loss) const { append_frame(out, FrameType::kLoss, encode(loss)); }
    void operator()(const Ended& ended) const { append_frame(out, FrameType::kEnded, encode(ended)); }
    void operator()(const Problem& problem) const { append_frame(out, FrameType::kError, encode(problem)); }
  };
  std::visit(Frames{out}, answer);
}

bool is_last(const Answer& answer) {
  return std::holds_alternative<Ended>(answer) || std::holds_alternative<Problem>(answer);
}

bool is_of_inquiry(const Answer& answer) {
  return std::holds_alternative<ShellEntry>(answer) || std::holds_alternative<LossSum>(answer) ||
         std::holds_alternative<LossEntry>(answer);
}

}  // namespace berth::inside
