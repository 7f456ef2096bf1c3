#include "agents/discovery/accelerators.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace berth::agents {
namespace {

constexpr const char* kForm = "write mock:GPUSxSHARES[,mem=8g,sm=80], e.g. mock:1x2 for one GPU cut into two";

Error invalid(std::string why) { return make_error("invalid-accelerator", std::move(why), kForm); }

std::optional<std::uint32_t> whole_number(std::string_view text, std::uint32_t max) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > max)
    return std::nullopt;
  return value;
}

std::string quoted(std::string_view text) { return "'" + std::string(text.substr(0, 100)) + "'"; }

std::string range(std::uint32_t max) { return "a whole number from 1 to " + std::to_string(max); }

Result<void> read_option(std::string_view option, Accelerator& device) {
  const auto equals = option.find('=');
  const std::string_view name = option.substr(0, equals);
  const std::string_view value = equals == option.npos ? std::string_view() : option.substr(equals + 1);
  if (name == "mem") {
    const auto bytes = parse_amount(SlotKind::kBytes, value);
    if (!bytes || *bytes == 0)
      return invalid("mem=" + std::string(value.substr(0, 100)) + " is no amount of memory");
    device.mem = *bytes;
  } else if (name == "sm") {
    const auto sm = whole_number(value, 100'000);
    if (!sm) return invalid("sm=" + std::string(value.substr(0, 100)) + ": it must be " + range(100'000));
    device.sm = *sm;
  } else {
    return invalid("unknown option " + quoted(option) + " of a mock accelerator");
  }
  return {};
}

}  // namespace

Result<std::vector<Accelerator>> parse_accelerators(std::string_view text) {
  if (text.empty() || text == "none") return std::vector<Accelerator>{};
  constexpr std::string_view kMock = "mock:";
  if (!text.starts_with(kMock))
    return invalid("unknown accelerator " + quoted(text) + ": only mock ones are known yet");
  text.remove_prefix(kMock.size());
  std::string_view shape = text.substr(0, text.find(','));
  std::string_view options = shape.size() == text.size() ? std::string_view() : text.substr(shape.size() + 1);
  if (shape.size() + 1 == text.size()) return invalid("nothing follows the comma");

  Accelerator device;
  const auto cut = shape.find('x');
  const auto gpus = whole_number(shape.substr(0, cut), kDevicesMax);
  if (!gpus) return invalid(quoted(shape.substr(0, cut)) + " GPUs: it must be " + range(kDevicesMax));
  if (cut != shape.npos) {
    const auto shares = whole_number(shape.substr(cut + 1), kSharesPerDeviceMax);
    if (!shares)
      return invalid(quoted(shape.substr(cut + 1)) + " shares per GPU: it must be " +
                     range(kSharesPerDeviceMax));
    device.shares = *shares;
  }
  while (!options.empty()) {
    const std::string_view option = options.substr(0, options.find(','));
    options.remove_prefix(std::min(options.size(), option.size() + 1));
    if (auto read = read_option(option, device); !read) return read.error();
  }

  std::vector<Accelerator> all;
  for (std::uint32_t i = 0; i < *gpus; ++i) {
    device.id = "gpu" + std::to_string(i);
    device.uuid = "mock-" + std::to_string(i);
    device.model = "mock-gpu";
    all.push_back(device);
  }
  return all;
}

Result<std::vector<v1::Device>> announce_devices(const std::vector<Accelerator>& accelerators,
                                                 const SharesPolicy& policy) {
  std::vector<v1::Device> devices;
  for (const auto& accelerator : accelerators) {
    std::uint32_t shares = accelerator.shares != 0 ? accelerator.shares : policy.shares_per_device;
    for (const std::string& name : {accelerator.model, accelerator.uuid})
      if (const auto own = policy.by_device.find(name); own != policy.by_device.end()) shares = own->second;
    if (shares == 0 || shares > kSharesPerDeviceMax)
      return make_error("invalid-accelerator",
                        accelerator.id + " is to be cut into " + std::to_string(shares) + " shares",
                        "accelerator.shares_per_device must be " + range(kSharesPerDeviceMax));
    v1::Device device;
    device.set_id(accelerator.id);
    device.set_model(accelerator.model);
    auto& slot = *device.add_slots();
    slot.set_slot("cuda.shares");
    slot.set_amount(Amount{shares} * kUnit);
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace berth::agents
