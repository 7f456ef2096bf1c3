#include "ops/cli/folders/folder_choice.h"

#include "events/base/text.h"
#include "ops/cli/command/paging.h"
#include "ops/cli/output/folder_view.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kNamed = 5;  // of folders that a word could mean

bool is_id(const std::string& word) {
  return word.size() == 32 && word.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Failure ambiguous(const std::string& word, const json::array& found) {
  std::string text;
  for (std::size_t i = 0; i < found.size() && i < kNamed; ++i) {
    const std::string until = text_at(found[i], "purge_at");
    text += (i == 0 ? "" : "; ") + text_at(found[i], "id") + " (" + owner_text(found[i]) + ", " +
            text_at(found[i], "state") + (until.empty() ? "" : ", kept until " + until) + ")";
  }
  if (found.size() > kNamed) text += "; and " + std::to_string(found.size() - kNamed) + " more";
  return {
      kConflict, "ambiguous-name", "'" + word + "' are several folders: " + text, "give the id of one", {}};
}

Outcome<json::array> named(Api& api, const std::string& word, bool in_trash, bool mine) {
  auto all = get_all(
      api, with_query("/v1/folders", {{"name", word}, {"include", "trash"}, {"mine", mine ? "true" : ""}}),
      "items");
  if (!all) return all;
  json::array found;
  for (const auto& folder : *all) {
    const std::string state = text_at(folder, "state");
    if (state != "PURGED" && (!in_trash || state == "TRASHED")) found.push_back(folder);
  }
  return found;
}

}  // namespace

std::string folder_target(const std::string& folder, const std::string& below) {
  return "/v1/folders/" + percent_encoded(folder) + below;
}

Outcome<json::value> find_folder(Api& api, const std::string& word, bool in_trash) {
  if (is_id(word)) {
    auto reply = having(api.get(folder_target(word)), {"id", "state"});
    if (!reply) return reply.failure();
    return reply->body;
  }
  for (const bool mine : {true, false}) {
    auto found = named(api, word, in_trash, mine);
    if (!found) return found.failure();
    if (found->size() > 1) return ambiguous(word, *found);
    if (found->empty()) continue;
    if (auto failure = lacking(found->front(), {"id", "state"})) return std::move(*failure);
    return found->front();
  }
  return Failure{kNotFound,
                 "unknown-folder",
                 std::string("no folder '") + clipped(word) + "' is " + (in_trash ? "in the trash" : "here"),
                 in_trash ? "berth folder ls --trash shows what is" : "berth folder ls --all shows what is",
                 {}};
}

}  // namespace berth::cli
