#include "controller/api/inside/kernel_losses.h"

#include <algorithm>

#include "events/codec/utf8.h"

namespace berth::controller::api {

namespace json = boost::json;
using inside::kLossNumberMax;

Result<KernelLosses> read_losses(const std::string& kernel, const std::vector<inside::Answer>& entries) {
  const auto* const sum = entries.empty() ? nullptr : std::get_if<inside::LossSum>(&entries.front());
  bool good = sum != nullptr && entries.size() <= inside::kLossesNamedMax + 1;
  KernelLosses losses{kernel, sum == nullptr ? inside::LossSum() : *sum, {}};
  for (std::size_t i = 1; good && i < entries.size(); ++i) {
    const auto* const entry = std::get_if<inside::LossEntry>(&entries[i]);
    good = entry != nullptr;
    if (good) losses.named.push_back(*entry);
  }
  if (good) return losses;
  return make_error("agent-answer-invalid", "what comes out of the kernel is no list of what ends with it",
                    "a program in the kernel may have taken the helper's place; end the session");
}

json::object losses_to_json(const std::vector<KernelLosses>& kernels, const std::vector<SilentKernel>& silent,
                            bool with_names) {
  inside::LossSum all{0, 0, silent.empty()};
  json::array names, unknown;
  for (const KernelLosses& of : kernels) {
    all.files += std::min(of.sum.files, kLossNumberMax - all.files);
    all.bytes += std::min(of.sum.bytes, kLossNumberMax - all.bytes);
    all.complete = all.complete && of.sum.complete;
    for (const inside::LossEntry& entry : of.named)
      if (with_names && names.size() < inside::kLossesNamedMax)
        names.push_back({{"kernel", of.kernel}, {"path", shown_as_utf8(entry.path)}, {"bytes", entry.bytes}});
  }
  for (const SilentKernel& one : silent)
    unknown.push_back({{"kernel", one.kernel}, {"code", one.why.code.word()}});
  return {{"files", all.files},
          {"bytes", all.bytes},
          {"complete", all.complete},
          {"names", std::move(names)},
          {"unknown", std::move(unknown)}};
}

}  // namespace berth::controller::api
