#include "agents/core/kernel_spec.h"

#include <algorithm>
#include <map>

#include "events/base/hash.h"
#include "events/base/slots/slot_name.h"
#include "events/base/trace_context.h"

namespace berth::agents {
namespace {

Amount slot_of(const v1::StartKernel& order, std::string_view name) {
  for (const auto& slot : order.slots())
    if (slot.slot() == name) return slot.amount();
  return 0;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

std::string devices_text(const v1::StartKernel& order) {
  std::vector<std::string> parts;
  for (const auto& share : order.devices())
    parts.push_back(share.device() + ":" + share.slot() + "=" +
                    format_amount(SlotKind::kCount, share.amount()));
  return joined(parts);
}

std::string visible_devices(const v1::StartKernel& order) {
  std::vector<std::string> ids;
  for (const auto& share : order.devices())
    if (share.amount() > 0 && std::find(ids.begin(), ids.end(), share.device()) == ids.end())
      ids.push_back(share.device());
  // "void" makes a GPU runtime stay away even where the image's own environment says "all".
  return ids.empty() ? "void" : joined(ids);
}

bool is_reserved(std::string_view name) {
  return name.starts_with("BERTH_") || name == "NVIDIA_VISIBLE_DEVICES" || name.empty() ||
         name.find('=') != name.npos || name.find('\0') != name.npos;
}

using Env = std::vector<std::pair<std::string, std::string>>;

Env environment(const v1::StartKernel& order, const SessionId& session, Amount cpu) {
  Env env;
  bool has_omp = false, has_trace = false;
  for (const auto& entry : order.spec().env()) {
    if (is_reserved(entry.key()) || entry.value().find('\0') != std::string::npos) continue;
    has_omp |= entry.key() == "OMP_NUM_THREADS";
    has_trace |= entry.key() == "TRACEPARENT";
    env.emplace_back(entry.key(), entry.value());
  }
  if (!has_omp)
    env.emplace_back("OMP_NUM_THREADS", std::to_string(std::max<Amount>(1, (cpu + kUnit - 1) / kUnit)));
  if (!has_trace && is_traceparent(order.trace())) env.emplace_back("TRACEPARENT", order.trace());
  env.emplace_back("BERTH_SESSION_ID", to_string(session));
  env.emplace_back("BERTH_SESSION_NAME", order.session_name());
  env.emplace_back("BERTH_SESSION_ROLE", order.role());
  env.emplace_back("BERTH_SESSION_INDEX", std::to_string(order.index()));
  const auto self =
      std::find(order.hosts().begin(), order.hosts().end(), order.role() + std::to_string(order.index()));
  env.emplace_back("BERTH_SESSION_RANK",
                   std::to_string(self == order.hosts().end() ? 0 : self - order.hosts().begin()));
  env.emplace_back("BERTH_SESSION_HOSTS", joined({order.hosts().begin(), order.hosts().end()}));
  env.emplace_back("BERTH_SESSION_CLUSTER_SIZE", std::to_string(std::max(1, order.hosts_size())));
  env.emplace_back("BERTH_SESSION_DEVICES", devices_text(order));
  env.emplace_back("NVIDIA_VISIBLE_DEVICES", visible_devices(order));
  return env;
}

}  // namespace

std::optional<KernelKey> key_of(const v1::StartKernel& order) {
  const auto kernel = Uuid::from_bytes(order.kernel_id());
  const auto session = Uuid::from_bytes(order.session_id());
  if (!kernel || kernel->is_nil() || !session || order.attempt() == 0) return std::nullopt;
  return KernelKey{KernelId(*kernel), order.attempt()};
}

Given given_by(const v1::StartKernel& order, std::optional<std::string>& why) {
  Given given;
  std::map<std::string, Amount> on_devices;
  for (const auto& share : order.devices()) {
    if (share.amount() < 0 || share.amount() > kAmountMax || on_devices[share.slot()] > kAmountMax) {
      why = "the order gives an amount of " + share.slot() + " that is out of range";
      return given;
    }
    on_devices[share.slot()] += share.amount();
    given.devices.push_back(share);
  }
  for (const auto& slot : order.slots()) {
    const auto sum = on_devices.find(slot.slot());
    if (sum == on_devices.end()) {
      given.slots.emplace_back(slot.slot(), slot.amount());
    } else if (sum->second != slot.amount()) {
      why = "the order's devices hold " + std::to_string(sum->second) + " micro-units of " + slot.slot() +
            ", its slots say " + std::to_string(slot.amount());
    }
  }
  return given;
}

Result<std::vector<FolderMount>> mounts_of(const v1::StartKernel& order,
                                           const std::vector<VolumeRoot>& volumes) {
  std::vector<FolderMount> mounts;
  for (const auto& mount : order.mounts()) {
    const auto volume = std::find_if(volumes.begin(), volumes.end(),
                                     [&](const VolumeRoot& v) { return v.id.view() == mount.volume(); });
    if (volume == volumes.end() && mount.automatic()) continue;
    if (volume == volumes.end() || mount.folder().size() != 16)
      return make_error("folder-missing", "this agent has not the volume of folder '" + mount.target() + "'",
                        "its operator may have taken the volume away");
    mounts.push_back({volume->root, to_hex(mount.folder()), mount.target(), mount.read_only(),
                      volume->shared_ids, mount.automatic()});
  }
  return mounts;
}

KernelSpec build_spec(const v1::StartKernel& order, std::optional<Timestamp> lease_until) {
  KernelSpec spec;
  spec.key = *key_of(order);
  spec.session = SessionId(*Uuid::from_bytes(order.session_id()));
  spec.session_name = order.session_name();
  spec.role = order.role();
  spec.index = order.index();
  spec.hostname = order.role() + std::to_string(order.index());
  spec.image = order.image();
  spec.cpu = slot_of(order, "cpu");
  spec.mem = slot_of(order, "mem");
  spec.shm = order.spec().shm() > 0 ? order.spec().shm() : kShmDefault;
  spec.disk_slot = slot_of(order, kDiskSlot);
  spec.disk = spec.disk_slot > 0 ? spec.disk_slot : order.disk();
  if (order.egress() == v1::EGRESS_REGISTRIES) spec.egress = Egress::kRegistries;
  for (const auto& share : order.devices())
    spec.devices.push_back({share.device(), share.slot(), share.amount()});
  spec.env = environment(order, spec.session, spec.cpu);
  spec.command.assign(order.spec().command().begin(), order.spec().command().end());
  spec.lease_until = lease_until;
  return spec;
}

}  // namespace berth::agents
