#include "agents/runtime/agent_key.h"

#include <boost/json.hpp>

#include "agents/runtime/agent_config.h"
#include "events/base/files/private_files.h"
#include "events/base/hex.h"

namespace berth::agents {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::int64_t kGenerationMax = UINT32_MAX - 1;  // the next one must fit, too

Error invalid(std::string why) {
  return make_error("key-file-invalid", "the agent's key file " + std::move(why),
                    "make another: berth agent enroll NAME");
}

std::string text_at(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

}  // namespace

Result<AgentKey> parse_agent_key(std::string_view text) {
  boost::system::error_code error;
  const boost::json::value parsed =
      boost::json::parse(boost::json::string_view(text.data(), text.size()), error);
  if (error || !parsed.is_object()) return invalid("is no JSON object");
  const auto& object = parsed.get_object();
  AgentKey key;
  const auto cluster = Uuid::parse(text_at(object, "cluster"));
  if (!cluster || cluster->is_nil()) return invalid("names no cluster");
  key.cluster = *cluster;
  key.agent = text_at(object, "agent");
  if (const auto* agent = object.if_contains("agent"); agent != nullptr && agent->is_object())
    key.agent = text_at(agent->get_object(), "name");
  if (auto name = check_agent_name(key.agent); !name) return invalid("names no agent");
  const auto* generation = object.if_contains("generation");
  if (generation == nullptr || !generation->is_int64()) return invalid("has no generation");
  if (generation->get_int64() < 1 || generation->get_int64() > kGenerationMax)
    return make_error("key-generation-out-of-range",
                      "the agent's key file has generation " + std::to_string(generation->get_int64()) +
                          "; generations are 1 to " + std::to_string(kGenerationMax),
                      "make another with a lower one: berth agent enroll NAME --generation N");
  key.generation = static_cast<std::uint32_t>(generation->get_int64());
  key.key = from_hex(text_at(object, "key")).value_or("");
  if (key.key.size() != kKeyBytes) return invalid("has no key of 64 hex digits");
  return key;
}

Result<AgentKey> read_agent_key(const std::string& path) {
  const auto text = read_private_file(
      path, "key-file", "write there what `berth agent enroll NAME -o json` answers, mode 0600");
  if (!text) return text.error();
  return parse_agent_key(*text);
}

}  // namespace berth::agents
