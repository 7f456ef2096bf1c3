// berth session losses, and the question of berth session rm
#include "ops/cli/session/losses.h"

#include <unistd.h>

#include <algorithm>

#include "ops/cli/output/json_text.h"
#include "ops/cli/output/size_text.h"
#include "ops/cli/output/table.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kNamesOfOne = 10;      // of a question about one session
constexpr std::size_t kNamesOfSeveral = 3;   // of each of several
constexpr std::size_t kSessionsLooked = 10;  // each takes a moment; of the rest it is said that nobody knows

std::string losses_of(const std::string& session) {
  return "/v1/sessions/" + percent_encoded(session) + "/losses";
}

Outcome<ApiReply> having_losses(Outcome<ApiReply> reply) {
  return having(std::move(reply), {"files", "bytes"});
}

std::uint64_t count_at(const json::value& value, const char* path) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(integer_at(value, path), 0));
}

// "3 files (51.2 KiB) outside folders end with the session".
std::string sentence(const json::value& losses) {
  const std::uint64_t files = count_at(losses, "files");
  const bool complete = true_at(losses, "complete");
  if (files == 0 && complete) return "no files outside folders end with the session";
  if (files == 0) return "files outside folders may end with the session: not all could be looked at";
  return std::string(complete ? "" : "at least ") + std::to_string(files) +
         (files == 1 ? " file (" : " files (") + size_text(count_at(losses, "bytes")) + ") outside folders " +
         (files == 1 ? "ends" : "end") + " with the session";
}

std::string path_text(const json::value& name, bool with_kernel) {
  return (with_kernel ? text_at(name, "kernel") + ":" : "") + text_at(name, "path");
}

bool names_several_kernels(const json::array& names) {
  return std::any_of(names.begin(), names.end(), [&names](const json::value& name) {
    return text_at(name, "kernel") != text_at(names.front(), "kernel");
  });
}

// The text of the question about one session; empty: there is nothing to ask.
std::string text_of(Api& api, const std::string& session, std::size_t names_max) {
  // The person is asked all the same: an agent that does not answer holds no end up.
  const auto losses = having_losses(api.get_once(losses_of(session)));
  if (losses) return losses_text(session, losses->body, names_max);
  const Failure& failure = losses.failure();
  // The end itself says what is wrong, or that there is nothing to end.
  if (failure.exit == kNotFound || failure.exit == kDenied || failure.code == "session-ended" ||
      failure.code == "session-terminating")
    return {};
  return printable(session) + ": nobody knows what ends with the session: " + printable(failure.message) +
         "\n";
}

Listing loss_listing() {
  Listing listing;
  listing.columns = {column("KERNEL", "kernel"),
                     column("PATH", "path"),
                     {"SIZE", [](const json::value& name) { return size_text(count_at(name, "bytes")); }}};
  listing.columns[2].path = "bytes";
  listing.columns[2].right = true;
  listing.name_path = "path";
  listing.shortened = "PATH";
  return listing;
}

Outcome<int> show_losses(Shell& shell, const std::string& session) {
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply = having_losses((*api)->get(losses_of(session)));
  if (!reply) return reply.failure();
  const json::value& losses = reply->body;
  const Format format = shell.style().format;
  if (format == Format::kJson || format == Format::kYaml || format == Format::kJsonl) {
    shell.out() << print_one(losses, loss_listing(), shell.style());
    return kOk;
  }
  const auto& names = array_at(losses, "names");
  if (!names.empty()) shell.out() << print_list(names, loss_listing(), shell.style());
  const bool some = !names.empty() && count_at(losses, "files") > names.size();
  shell.note(sentence(losses) + (some ? "; those of the home and the newest are named" : ""));
  for (const auto& kernel : array_at(losses, "unknown"))
    shell.note("kernel " + text_at(kernel, "kernel") + " did not answer: " + text_at(kernel, "code"));
  return kOk;
}

}  // namespace

std::string losses_text(const std::string& session, const json::value& losses, std::size_t names_max) {
  const std::uint64_t files = count_at(losses, "files");
  if (files == 0 && true_at(losses, "complete")) return {};
  const auto& names = array_at(losses, "names");
  const std::size_t shown = std::min(names.size(), names_max);
  std::string text = printable(session) + ": " + sentence(losses) + (shown > 0 ? ":" : "") + "\n";
  const bool with_kernel = names_several_kernels(names);
  for (std::size_t i = 0; i < shown; ++i)
    text += "  " + printable(path_text(names[i], with_kernel)) + "  " +
            size_text(count_at(names[i], "bytes")) + "\n";
  if (shown > 0 && files > shown) text += "  and " + std::to_string(files - shown) + " more\n";
  return text;
}

Outcome<bool> confirm_losses(Shell& shell, Api& api, const std::vector<std::string>& sessions) {
  if (!shell.world().out_is_terminal || ::isatty(shell.world().descriptors.in) != 1) return true;
  std::string text;
  for (std::size_t i = 0; i < std::min(sessions.size(), kSessionsLooked); ++i)
    text += text_of(api, sessions[i], sessions.size() == 1 ? kNamesOfOne : kNamesOfSeveral);
  if (sessions.size() > kSessionsLooked)
    text += "nobody has looked at what ends with " + std::to_string(sessions.size() - kSessionsLooked) +
            " more\n";
  if (text.empty()) return true;
  const std::string what =
      sessions.size() == 1 ? "it" : "these " + std::to_string(sessions.size()) + " sessions";
  const auto answer = shell.world().ask(text + "End " + what + "? [y/N] ");
  if (!answer) return true;  // the terminal is not this process's own
  if (*answer == "y" || *answer == "Y" || *answer == "yes") return true;
  return Failure{kFailed, "not-confirmed", "nothing was ended", "--yes ends without a question", {}};
}

void add_session_losses(Registry& registry, CLI::App* noun) {
  auto session = std::make_shared<std::string>();
  auto* verb = registry.verb(noun, "losses", "What ends with a session: changed files that lie in no folder");
  verb->add_option("SESSION", *session, "Name or id")->required();
  registry.on(
      verb,
      "  berth session losses demo\n  berth session losses demo -o json\n\n"
      "Files of its running kernels that were changed since they started. What lies in folders "
      "(/home/work/FOLDER)\noutlasts the session and is not among them; `berth session cp` saves a file.",
      [session](Shell& shell) { return show_losses(shell, *session); });
}

}  // namespace berth::cli
