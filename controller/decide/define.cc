#include "controller/decide/decide.h"

namespace berth::controller {
namespace {

std::optional<Refusal> bad(std::string message) { return Refusal{"invalid-definition", std::move(message), ""}; }

std::optional<Refusal> check(const v1::ResourceGroupDefined& g) {
  if (g.order() != "fifo" && g.order() != "lifo")
    return Refusal{"unknown-policy", "order '" + g.order() + "' does not exist", "fifo, lifo"};
  if (g.select() != "concentrated" && g.select() != "dispersed")
    return Refusal{"unknown-policy", "selection '" + g.select() + "' does not exist", "concentrated, dispersed"};
  if (g.head_of_line() != "strict" && g.head_of_line() != "skip-after-n" && g.head_of_line() != "greedy")
    return Refusal{"unknown-policy", "head-of-line policy '" + g.head_of_line() + "' does not exist", "strict, skip-after-n, greedy"};
  for (const auto& d : g.devices()) {
    if (d.spread() != "even" && d.spread() != "fill")
      return Refusal{"unknown-policy", "spread '" + d.spread() + "' does not exist", "even, fill"};
    if (d.quantum() < 0) return bad("a negative quantum");
  }
  if (g.pending_timeout_ms() < 0) return bad("a negative pending timeout");
  return std::nullopt;
}

template <class List>
std::optional<Refusal> check_names(const List& list, const char* what) {
  for (const auto& item : list)
    if (!projections::is_valid_name(item.name())) return Refusal{"invalid-name", std::string("a ") + what + " has no valid name", ""};
  return std::nullopt;
}

std::optional<Refusal> check(const v1::Define& d) {
  for (const auto& type : d.slot_types())
    if (type.name().empty() || type.name().size() > 64 || type.kind() > 2 || type.quantum() < 0)
      return bad("slot type '" + type.name().substr(0, 64) + "'");
  if (auto r = check_names(d.groups(), "resource group")) return r;
  if (auto r = check_names(d.domains(), "domain")) return r;
  if (auto r = check_names(d.projects(), "project")) return r;
  if (auto r = check_names(d.users(), "user")) return r;
  for (const auto& group : d.groups())
    if (auto r = check(group)) return r;
  for (const auto& key : d.key_pairs())
    if (key.id().empty() || key.id().size() > 128 || key.user().empty()) return bad("a key pair without id or user");
  for (const auto& image : d.images())
    if (image.reference().empty() || image.reference().size() > 256 || image.source().empty() || image.source().size() > 4096)
      return bad("an image needs a reference and a source");
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> decide(DecisionContext& c, const v1::Request&, const v1::Define& body) {
  if (auto refusal = check(body)) return refusal;
  const auto emit_all = [&c](const auto& list, auto set) {
    for (const auto& item : list) {
      v1::Event e = c.event();
      set(e, item);
      c.emit(std::move(e));
    }
  };
  emit_all(body.slot_types(), [](v1::Event& e, const auto& d) { *e.mutable_slot_type_registered() = d; });
  emit_all(body.groups(), [](v1::Event& e, const auto& d) { *e.mutable_resource_group_defined() = d; });
  emit_all(body.domains(), [](v1::Event& e, const auto& d) { *e.mutable_domain_defined() = d; });
  emit_all(body.projects(), [](v1::Event& e, const auto& d) { *e.mutable_project_defined() = d; });
  emit_all(body.users(), [](v1::Event& e, const auto& d) { *e.mutable_user_defined() = d; });
  emit_all(body.key_pairs(), [](v1::Event& e, const auto& d) { *e.mutable_key_pair_defined() = d; });
  emit_all(body.images(), [](v1::Event& e, const auto& d) { *e.mutable_image_registered() = d; });
  return std::nullopt;
}

}  // namespace berth::controller
