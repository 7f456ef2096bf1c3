#include "controller/runtime/bootstrap.h"

#include <spdlog/spdlog.h>
#include <sys/utsname.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "controller/placement/types.h"
#include "events/base/slots/slot_name.h"
#include "events/base/stop_signal.h"
#include "events/log/log_errors.h"
#include "projections/tables/request_table.h"

namespace berth::controller {
namespace {

constexpr const char* kActor = "controller";
constexpr std::chrono::milliseconds kLookEvery{5};

Error no_answer(const std::string& what) {
  return make_error("not-ready", what, "is the log reachable, and does a controller lead?");
}

template <class Test> bool holds(ApiContext& api, Test test) {
  bool result = false;
  api.with_state([&](const StateView& view) { result = test(view.state); });
  return result;
}

void add_slot(v1::Define& define, const char* name, SlotKind kind, Amount quantum) {
  auto* slot = define.add_slot_types();
  slot->set_name(name);
  slot->set_kind(static_cast<std::uint32_t>(kind));
  slot->set_quantum(quantum);
}

void add_group(v1::Define& define) {
  auto* group = define.add_groups();
  group->set_name("default");
  group->set_order("fifo");
  group->set_head_of_line("strict");
  group->set_impossible("skip");
  group->set_select("concentrated");
  for (const char* slot : {"cuda", "rocm", "tpu", "cpu", "mem"}) group->add_slot_priority(slot);
  group->set_max_attempts(5);
  group->set_egress("registries");
  auto* shares = group->add_devices();
  shares->set_slot("cuda.shares");
  shares->set_spread("even");
  shares->set_quantum(kUnit / 10);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Tags of an OCI layout's index.json.
std::vector<std::string> tags_of(const std::filesystem::path& layout) {
  std::vector<std::string> tags;
  boost::system::error_code ec;
  const auto json = boost::json::parse(read_file(layout / "index.json"), ec);
  const auto* root = ec ? nullptr : json.if_object();
  const auto* manifests =
      root != nullptr && root->contains("manifests") ? root->at("manifests").if_array() : nullptr;
  if (manifests == nullptr) return tags;
  for (const auto& manifest : *manifests) {
    const auto* tag = manifest.is_object() ? manifest.as_object().if_contains("annotations") : nullptr;
    tag = tag != nullptr && tag->is_object()
              ? tag->as_object().if_contains("org.opencontainers.image.ref.name")
              : nullptr;
    if (tag != nullptr && tag->is_string()) tags.emplace_back(tag->as_string());
  }
  return tags;
}

// Nothing if the journal has it.
void add_key_pair(ApiContext& api, const api::KeyPair& pair, v1::Define& define) {
  if (holds(api, [&](const auto& s) { return s.key_pairs.find(pair.access_key) != nullptr; })) return;
  v1::KeyPairDefined key;
  key.set_id(pair.access_key);
  key.set_user("admin");
  key.set_active(true);
  key.set_name("first");
  key.set_created_ns(api.now());
  api.key_pairs().seal(key, pair.secret_key);
  *define.add_key_pairs() = std::move(key);
}

bool is_as_registered(const LocalImage& image, const v1::ImageRegistered& known) {
  const bool digest_differs =
      !known.digest().empty() && !image.digest.empty() && known.digest() != image.digest;
  return known.source() == image.source && !digest_differs &&
         (known.labels_size() > 0 || image.labels.empty());
}

}  // namespace

namespace {

// Of a question that is asked until it is answered, or nobody waits any more.
class Patience {
 public:
  Patience(const ApiContext& api, Duration wait)
      : api_(api), until_(now() + wait), tell_at_(now() + kTellEvery) {}
  bool is_over() const { return now() >= until_ || stop_was_asked(); }
  bool is_due() {
    if (now() < due_) return false;
    due_ = now() + kSecond;
    return true;
  }
  void wait(const std::string& why) {
    if (now() >= tell_at_) {
      spdlog::warn("still waiting for the controller: {}", why);
      tell_at_ += kTellEvery;
    }
    std::this_thread::sleep_for(kLookEvery);
  }

 private:
  static constexpr Duration kTellEvery = 30 * kSecond;
  Timestamp now() const { return api_.clock().now().boottime; }
  const ApiContext& api_;
  const Timestamp until_;
  Timestamp tell_at_, due_ = 0;
};

std::optional<projections::RequestRow> answer_to(ApiContext& api, const Uuid& id) {
  std::optional<projections::RequestRow> answer;
  api.with_state([&](const StateView& view) {
    const auto* row = view.state.requests.find(projections::RequestRow::make_key(kActor, id));
    if (row != nullptr) answer = *row;
  });
  return answer;
}

}  // namespace

// Once a second it is said again under the same id: an append may be lost, or meet no leader. One that came
// too late is asked anew.
Result<void> ask(ApiContext& api, v1::Request request, Duration wait) {
  Patience patience(api, wait);
  Uuid id = api.new_id();
  std::string why = "no controller has answered yet";
  request.set_actor(kActor);
  request.mutable_owner()->set_user("admin");
  while (!patience.is_over()) {
    if (patience.is_due()) {
      request.set_id(std::string(id.view()));
      stamp_times(api, request);
      if (auto sent = api.submit(request, {}); !sent) why = to_string(sent.error());
    }
    const auto answer = answer_to(api, id);
    if (answer && answer->answer == projections::AnswerKind::kAccepted) return {};
    if (answer && answer->answer != projections::AnswerKind::kExpired)
      return make_error(answer->code, answer->message, answer->hint);
    if (answer) id = api.new_id();
    patience.wait(why);
  }
  return no_answer(why);
}

Result<void> await_journal(ApiContext& api, Duration wait) {
  Patience patience(api, wait);
  std::string why = "the journal is not read to its end yet";
  std::optional<Offset> end;
  while (!patience.is_over()) {
    if (!end && patience.is_due()) {
      const auto journal = api.read_raw_journal(~Offset{0}, 1, 1);
      if (!journal && !may_retry(journal.error())) return journal.error();
      if (journal)
        end = journal->end;
      else
        why = to_string(journal.error());
    }
    Offset next = 0;
    api.with_state([&](const StateView& view) { next = view.any ? view.position + 1 : 0; });
    if (end && next >= *end) return {};
    patience.wait(why);
  }
  return no_answer(why);
}

bool has_superadmin_key(ApiContext& api) {
  const Timestamp now = api.now();
  return holds(api, [now](const projections::State& s) {
    bool found = false;
    s.key_pairs.for_each_unordered([&](const projections::KeyPairRow& row) {
      const auto* user = s.users.find(row.def.user());
      found = found || (row.def.has_secret() && row.def.active() && !row.def.read_only() &&
                        (row.def.expires_ns() == 0 || row.def.expires_ns() > now) && user != nullptr &&
                        user->def.role() == v1::ROLE_SUPERADMIN);
    });
    return found;
  });
}

Result<void> define_defaults(ApiContext& api, const std::optional<api::KeyPair>& admin_key, Duration wait) {
  v1::Request request;
  auto& define = *request.mutable_define();
  const auto lacks = [&](auto test) { return !holds(api, test); };
  if (lacks([](const auto& s) { return s.slot_types.size() > 0; })) {
    add_slot(define, "cpu", SlotKind::kCount, kUnit / 1000);
    add_slot(define, "mem", SlotKind::kBytes, 0);
    add_slot(define, "cuda.device", SlotKind::kCount, kUnit);
    add_slot(define, "cuda.shares", SlotKind::kCount, kUnit / 10);
    add_slot(define, std::string(kDiskSlot).c_str(), SlotKind::kBytes, 0);
  }
  if (lacks([](const auto& s) {
        return s.groups.find("default") != nullptr || s.is_retired(v1::DEFINITION_KIND_GROUP, "default");
      }))
    add_group(define);
  if (lacks([](const auto& s) { return s.domains.find("default") != nullptr; }))
    define.add_domains()->set_name("default");
  if (lacks([](const auto& s) { return s.projects.find("default/default") != nullptr; })) {
    define.add_projects()->set_domain("default");
    define.mutable_projects(0)->set_name("default");
  }
  if (lacks([](const auto& s) { return s.users.find("admin") != nullptr; })) {
    auto* user = define.add_users();
    user->set_name("admin");
    user->set_domain("default");
    user->add_projects("default");
    user->set_role(v1::ROLE_SUPERADMIN);
  }
  if (admin_key) add_key_pair(api, *admin_key, define);
  if (define.ByteSizeLong() == 0) return {};
  return ask(api, std::move(request), wait);
}

Result<void> register_images(ApiContext& api, const std::vector<LocalImage>& images, Duration wait) {
  v1::Request request;
  for (const auto& image : images) {
    std::optional<v1::ImageRegistered> known;
    const bool is_right = holds(api, [&](const projections::State& s) {
      if (const auto* row = s.images.find(image.reference)) known = row->def;
      return s.is_retired(v1::DEFINITION_KIND_IMAGE, image.reference) ||
             (known && is_as_registered(image, *known));
    });
    if (is_right) continue;
    auto* def = request.mutable_define()->add_images();
    def->set_reference(image.reference);
    def->set_source(image.source);
    def->set_architecture(image.architecture);
    if (known && !known->digest().empty()) def->set_digest(image.digest);
    for (const auto& [key, value] : image.labels) {
      auto* label = def->add_labels();
      label->set_key(key);
      label->set_value(value);
    }
  }
  if (!request.has_define()) return {};
  return ask(api, std::move(request), wait);
}

Result<std::uint32_t> enroll_agent(ApiContext& api, const std::string& agent, const WriterSecrets& writers,
                                   Duration wait) {
  std::uint32_t generation = 0;
  const auto is_enrolled = [&](const projections::State& s) {
    const auto* row = s.agents.find(agent);
    generation = row == nullptr ? 0 : row->generation;
    return generation != 0 && !writers.is_of_before("agent:" + agent, generation);
  };
  if (holds(api, is_enrolled)) return generation;
  v1::Request request;
  request.mutable_enroll_agent()->set_agent(agent);
  if (auto asked = ask(api, std::move(request), wait); !asked) return asked.error();
  return holds(api, is_enrolled) ? Result<std::uint32_t>(generation)
                                 : no_answer("the agent's enrolment is not read yet");
}

Result<void> check_local_agent(ApiContext& api, const std::string& agent, const std::string& group) {
  bool is_retired = false, has_group = false;
  std::set<std::string> groups;
  api.with_state([&](const StateView& view) {
    is_retired = view.state.is_retired(v1::DEFINITION_KIND_AGENT, agent);
    has_group = view.state.groups.find(group) != nullptr;
    view.state.groups.for_each_unordered(
        [&](const projections::GroupRow& row) { groups.insert(row.def.name()); });
  });
  if (is_retired)
    return make_error("name-retired", "agent " + agent + " was removed, and its name is never given again",
                      "give this machine's agent another name: berth up --name NAME");
  if (groups.empty())
    spdlog::warn("there is no resource group: make one (berth group set NAME), then berth up --group NAME");
  if (has_group || groups.empty()) return {};
  std::string known;
  for (const std::string& name : groups) known += (known.empty() ? "" : ", ") + name;
  return make_error("unknown-group", "no resource group is named '" + group + "'",
                    "there are: " + known + "; name one of them: berth up --group NAME");
}

std::vector<LocalImage> find_local_images(const std::string& folder) {
  std::vector<LocalImage> images;
  utsname machine{};
  uname(&machine);
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ec)) {
    const auto path = std::filesystem::absolute(entry.path());
    for (const auto& tag : tags_of(path))
      images.push_back(
          {path.filename().string() + ":" + tag, "oci:" + path.string() + ":" + tag, machine.machine});
  }
  std::sort(images.begin(), images.end(),
            [](const auto& a, const auto& b) { return a.reference < b.reference; });
  return images;
}

}  // namespace berth::controller
