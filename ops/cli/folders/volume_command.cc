// berth volume
#include "ops/cli/command/paging.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/command/watch.h"
#include "ops/cli/output/folder_view.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct Forget {
  std::string volume;
  std::int64_t expected = -1;  // below 0: it is asked for
};

// By its id, so that a name that another volume is given meanwhile does no harm.
Outcome<json::value> find_volume(Api& api, const std::string& word) {
  const auto reply = having_list(api.get("/v1/volumes"), "items");
  if (!reply) return reply.failure();
  std::vector<json::value> named;
  for (const auto& volume : array_at(reply->body, "items")) {
    if (text_at(volume, "id") == word) return volume;
    if (text_at(volume, "name") == word) named.push_back(volume);
  }
  if (named.size() == 1) return named.front();
  if (named.empty())
    return Failure{kNotFound,
                   "unknown-volume",
                   "there is no volume '" + word.substr(0, 200) + "'",
                   "berth volume ls",
                   {}};
  return Failure{kFailed,
                 "ambiguous-name",
                 "several volumes are named '" + word.substr(0, 200) + "'",
                 "name one by its id: berth volume ls -o wide",
                 {}};
}

// Those in the trash, too: how many folders whoever is asked agrees to lose.
Outcome<std::int64_t> confirm_forget(Shell& shell, Api& api, const json::value& volume) {
  const auto folders = get_all(
      api, with_query("/v1/folders", {{"volume", text_at(volume, "id")}, {"include", "trash"}}), "items");
  if (!folders) return folders.failure();
  const std::string count = std::to_string(folders->size());
  const auto answer = shell.world().ask(
      "Forget volume " + printable(text_at(volume, "name")) +
      (folders->empty() ? ", on which no folder lies" : ", and lose the " + count + " folders on it") +
      ", for good? [y/N] ");
  if (!answer)
    return usage_failure(
        "a volume and its folders are forgotten for good, and there is no terminal to ask on",
        "give --expected " + count);
  if (*answer == "y" || *answer == "Y" || *answer == "yes") return static_cast<std::int64_t>(folders->size());
  return Failure{kFailed, "not-confirmed", "nothing was forgotten", {}, {}};
}

Outcome<int> forget_volume(Shell& shell, const Forget& o) {
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto volume = find_volume(**api, o.volume);
  if (!volume) return volume.failure();
  std::int64_t expected = o.expected;
  if (expected < 0) {
    const auto confirmed = confirm_forget(shell, **api, *volume);
    if (!confirmed) return confirmed.failure();
    expected = *confirmed;
  }
  const auto reply = (*api)->remove(
      with_query("/v1/volumes/" + text_at(*volume, "id"), {{"expected", std::to_string(expected)}}));
  if (!reply) return reply.failure();
  shell.out() << text_at(*volume, "name") << "\n";
  return kOk;
}

void add_volume_forget(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<Forget>();
  auto* forget = registry.verb(
      noun, "forget", "Forget a volume whose disk is gone for good, and the folders on it; asks before",
      {"rm"});
  forget->add_option("VOLUME", o->volume, "Name or id; no agent that is ALIVE has it")->required();
  forget
      ->add_option("--expected", o->expected,
                   "Do not ask: so many folders are lost with it, those in the trash too")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{INT32_MAX}));
  registry.on(
      forget,
      "  berth folder ls --all --volume old\n  berth volume forget old\n"
      "  berth volume forget old --expected 3\n\n"
      "A session that mounts one of the folders keeps the volume. An agent that tells of the volume again "
      "brings it\nas a new one, without folders; their files, if the disk has them, are nobody's.",
      [o](Shell& shell) { return forget_volume(shell, *o); });
}

}  // namespace

void add_volume_ls(Registry& registry, CLI::App* noun, const char* name) {
  auto* ls =
      registry.verb(noun, name, "List the volumes on which folders lie, and the agents that have them");
  registry.on(ls, "  berth volume ls\n  berth folder volumes -o json", [](Shell& shell) {
    return show_or_watch(shell, false, "/v1/volumes", "items", [&shell](const ApiReply& reply) {
      return print_list(array_at(reply.body, "items"), volume_listing(), shell.style());
    });
  });
}

void add_volume_commands(Registry& registry) {
  auto* noun = registry.noun("volume", "Volumes: where folders lie", {"volumes"});
  add_volume_ls(registry, noun, "ls");
  add_volume_forget(registry, noun);
}

}  // namespace berth::cli
