#include "ops/cli/stop_words.h"

#include "events/base/text.h"

namespace berth {
namespace {

constexpr std::size_t kNamed = 20;  // sessions in one line

// "a b": operands of a command.
std::string operands(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kNamed; ++i) text += (i == 0 ? "" : " ") + names[i];
  return text;
}

std::string data_of(const UpOptions& options) {
  return options.data == UpOptions().data ? "" : " --data " + options.data;
}

std::string span(Duration lease) {
  return lease % kHour == 0 ? std::to_string(lease / kHour) + " h" : std::to_string(lease / kSecond) + " s";
}

}  // namespace

std::string command_of(const UpOptions& options) {
  const UpOptions usual;
  std::string text = "berth up" + data_of(options);
  const auto add = [&text](const char* name, const std::string& value, const std::string& usual_value) {
    if (value != usual_value) text += std::string(" ") + name + " " + value;
  };
  const controller::Listening& listening = options.listening;
  add("--address", listening.address, usual.listening.address);
  add("--port", std::to_string(listening.port), std::to_string(usual.listening.port));
  if (listening.tls) text += " --tls";
  add("--tls-cert", listening.tls_certificate, "");
  add("--tls-key", listening.tls_key, "");
  if (listening.insecure_http) text += " --insecure-http";
  add("--accelerator", options.accelerator, usual.accelerator);
  add("--log", options.log, usual.log);
  add("--backend", options.backend, usual.backend);
  add("--name", options.name, usual.name);
  add("--group", options.group, usual.group);
  add("--policies", options.policies, usual.policies);
  return text;
}

std::string stop_words(const UpOptions& options, const HereAtStop& here) {
  std::string text = "berth up: stopping";
  if (options.end_kernels) return text + "; ending kernels\n";
  if (here.staying.empty() && here.leased.empty()) return text + "\n";
  if (!here.staying.empty()) text += "; these go on: " + listed(here.staying, kNamed);
  text += "\n";
  if (!here.leased.empty())
    text += "  go on for " + span(here.lease) +
            ", then end and start again when it is back: " + listed(here.leased, kNamed) + "\n";
  text += "  to come back   " + command_of(options) + "\n";
  if (!here.staying.empty())
    text += "  to end them    berth" + data_of(options) + " session rm " + operands(here.staying) +
            "   (when it is back; --end-kernels does so at a stop)\n";
  return text;
}

}  // namespace berth
