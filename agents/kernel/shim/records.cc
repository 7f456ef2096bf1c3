#include "agents/kernel/shim/records.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace berth::agents::shim {
namespace {

template <class Number> bool parse(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

void put(Fields& fields, const char* name, const ProcessId& id) {
  fields.emplace_back(name, std::to_string(id.pid) + " " + std::to_string(id.start));
}

bool parse(const std::string& text, ProcessId& id) {
  const std::size_t space = text.find(' ');
  return space != std::string::npos && parse(text.substr(0, space), id.pid) &&
         parse(text.substr(space + 1), id.start);
}

void put(Fields& fields, const HoldingRecord& holding) {
  fields.emplace_back("session_name", holding.session_name);
  fields.emplace_back("cpu", std::to_string(holding.cpu));
  fields.emplace_back("mem", std::to_string(holding.mem));
  if (holding.disk > 0) fields.emplace_back("holds_disk", std::to_string(holding.disk));
  for (const auto& [device, slot, amount] : holding.devices)
    fields.emplace_back("device", std::to_string(amount) + " " + slot + " " + device);
}

bool parse(const std::string& text, HoldingRecord::Grant& grant) {
  const std::size_t amount_end = text.find(' '), slot_end = text.find(' ', amount_end + 1);
  if (amount_end == std::string::npos || slot_end == std::string::npos) return false;
  grant.slot = text.substr(amount_end + 1, slot_end - amount_end - 1);
  grant.device = text.substr(slot_end + 1);
  return parse(text.substr(0, amount_end), grant.amount);
}

// The root comes last: a path may hold spaces.
std::string text_of(const FolderRecord& folder) {
  const char* const mode = folder.automatic ? "auto" : folder.read_only ? "ro" : "rw";
  return std::string(mode) + (folder.shared_ids ? " shared " : " own ") + folder.folder + " " +
         folder.target + " " + folder.root;
}

bool parse(const std::string& text, FolderRecord& folder) {
  const std::size_t ids = text.find(' '), name = text.find(' ', ids + 1), target = text.find(' ', name + 1);
  const std::size_t root = text.find(' ', target + 1);
  if (ids == std::string::npos || name == std::string::npos || target == std::string::npos ||
      root == std::string::npos)
    return false;
  const std::string mode = text.substr(0, ids), owners = text.substr(ids + 1, name - ids - 1);
  if ((mode != "ro" && mode != "rw" && mode != "auto") || (owners != "own" && owners != "shared"))
    return false;
  folder.read_only = mode == "ro";
  folder.automatic = mode == "auto";
  folder.shared_ids = owners == "shared";
  folder.folder = text.substr(name + 1, target - name - 1);
  folder.target = text.substr(target + 1, root - target - 1);
  folder.root = text.substr(root + 1);
  return true;
}

// REQUIRES: a field of a holding. False: its value is damaged.
bool take_field(const std::string& name, const std::string& value, std::optional<HoldingRecord>& holding) {
  if (!holding) holding.emplace();
  if (name == "cpu") return parse(value, holding->cpu);
  if (name == "mem") return parse(value, holding->mem);
  if (name == "holds_disk") return parse(value, holding->disk);
  if (name == "device") return parse(value, holding->devices.emplace_back());
  holding->session_name = value;
  return true;
}

}  // namespace

std::string environment_mark(const std::string& key) { return "BERTH_KERNEL=" + key; }

std::string encode(const ShimSpec& spec) {
  Fields fields{{"mode", spec.oci ? "oci" : "process"}, {"init", spec.init}};
  for (const std::string& arg : spec.args) fields.emplace_back("arg", arg);
  for (const std::string& entry : spec.env) fields.emplace_back("env", entry);
  fields.emplace_back("lease_until", std::to_string(spec.lease_until));
  fields.emplace_back("lease_generation", std::to_string(spec.lease_generation));
  fields.emplace_back("uid", std::to_string(spec.uid));
  fields.emplace_back("gid", std::to_string(spec.gid));
  for (const std::string& cgroup : spec.cgroups) fields.emplace_back("cgroup", cgroup);
  if (spec.holding) put(fields, *spec.holding);
  if (spec.egress) fields.emplace_back("egress", "registries");
  if (spec.oci) {
    fields.emplace_back("runtime", spec.runtime);
    fields.emplace_back("runtime_root", spec.runtime_root);
    fields.emplace_back("lower", spec.lower);
    fields.emplace_back("mount_point", spec.mount_point);
    fields.emplace_back("disk", spec.disk);
    fields.emplace_back("oom_file", spec.oom_file);
    fields.emplace_back("cpu_cgroup", spec.cpu_cgroup);
    fields.emplace_back("id_base", std::to_string(spec.id_base));
    fields.emplace_back("id_count", std::to_string(spec.id_count));
    if (spec.image_base != 0) fields.emplace_back("image_base", std::to_string(spec.image_base));
    for (const FolderRecord& folder : spec.folders) fields.emplace_back("folder", text_of(folder));
  }
  return encode_fields(fields);
}

std::optional<ShimSpec> decode_spec(std::string_view bytes) {
  const auto fields = decode_fields(bytes);
  if (!fields) return std::nullopt;
  ShimSpec spec;
  for (const auto& [name, value] : *fields) {
    bool good = true;
    if (name == "mode")
      spec.oci = value == "oci";
    else if (name == "init")
      spec.init = value;
    else if (name == "arg")
      spec.args.push_back(value);
    else if (name == "env")
      spec.env.push_back(value);
    else if (name == "lease_until")
      good = parse(value, spec.lease_until);
    else if (name == "lease_generation")
      good = parse(value, spec.lease_generation);
    else if (name == "uid")
      good = parse(value, spec.uid);
    else if (name == "gid")
      good = parse(value, spec.gid);
    else if (name == "session_name" || name == "cpu" || name == "mem" || name == "holds_disk" ||
             name == "device")
      good = take_field(name, value, spec.holding);
    else if (name == "egress")
      spec.egress = value == "registries";
    else if (name == "runtime")
      spec.runtime = value;
    else if (name == "runtime_root")
      spec.runtime_root = value;
    else if (name == "lower")
      spec.lower = value;
    else if (name == "mount_point")
      spec.mount_point = value;
    else if (name == "disk")
      spec.disk = value;
    else if (name == "cgroup")
      spec.cgroups.push_back(value);
    else if (name == "oom_file")
      spec.oom_file = value;
    else if (name == "cpu_cgroup")
      spec.cpu_cgroup = value;
    else if (name == "id_base")
      good = parse(value, spec.id_base);
    else if (name == "id_count")
      good = parse(value, spec.id_count);
    else if (name == "image_base")
      good = parse(value, spec.image_base);
    else if (name == "folder")
      good = parse(value, spec.folders.emplace_back());
    if (!good) return std::nullopt;
  }
  return spec;
}

std::string encode(const StateRecord& record) {
  Fields fields{{"phase", record.running ? "running" : "creating"},
                {"started_at", std::to_string(record.started_at)}};
  put(fields, "main", record.main);
  put(fields, "runtime", record.runtime);
  put(fields, "shim", record.shim);
  fields.emplace_back("boot", record.boot);
  if (!record.stays.empty()) fields.emplace_back("stays", record.stays);
  return encode_fields(fields);
}

std::optional<StateRecord> decode_state(std::string_view bytes) {
  const auto fields = decode_fields(bytes);
  if (!fields) return std::nullopt;
  StateRecord record;
  for (const auto& [name, value] : *fields) {
    bool good = true;
    if (name == "phase")
      record.running = value == "running";
    else if (name == "started_at")
      good = parse(value, record.started_at);
    else if (name == "main")
      good = parse(value, record.main);
    else if (name == "runtime")
      good = parse(value, record.runtime);
    else if (name == "shim")
      good = parse(value, record.shim);
    else if (name == "boot")
      record.boot = value;
    else if (name == "stays")
      record.stays = value;
    if (!good) return std::nullopt;
  }
  return record;
}

namespace {

constexpr std::size_t kDigits = 19;  // of every number of a draft, with leading zeros
constexpr std::int64_t kWidest = 1'000'000'000'000'000'000;

}  // namespace

StateDraft::StateDraft(StateRecord record) {
  record.running = true;
  record.started_at = kWidest;
  record.main = {kWidest, static_cast<std::uint64_t>(kWidest)};
  bytes_ = encode(record);
  started_at_ = bytes_.find("\nstarted_at=") + std::strlen("\nstarted_at=");
  pid_ = bytes_.find("\nmain=") + std::strlen("\nmain=");
  start_ = pid_ + kDigits + 1;
}

void StateDraft::set(const ProcessId& main, std::int64_t started_at) {
  write_number(started_at_, static_cast<std::uint64_t>(started_at));
  write_number(pid_, static_cast<std::uint64_t>(main.pid));
  write_number(start_, main.start);
}

void StateDraft::write_number(std::size_t at, std::uint64_t number) {
  for (std::size_t digit = kDigits; digit-- > 0; number /= 10)
    bytes_[at + digit] = static_cast<char>('0' + number % 10);
}

std::string encode(const ExitRecord& record) {
  return encode_fields({{"how", record.end},
                        {"code", std::to_string(record.code)},
                        {"started_at", std::to_string(record.started_at)},
                        {"ended_at", std::to_string(record.ended_at)},
                        {"error_code", record.error_code},
                        {"error", record.error}});
}

std::optional<ExitRecord> decode_exit(std::string_view bytes) {
  const auto fields = decode_fields(bytes);
  if (!fields) return std::nullopt;
  ExitRecord record;
  for (const auto& [name, value] : *fields) {
    bool good = true;
    if (name == "how")
      record.end = value;
    else if (name == "code")
      good = parse(value, record.code);
    else if (name == "started_at")
      good = parse(value, record.started_at);
    else if (name == "ended_at")
      good = parse(value, record.ended_at);
    else if (name == "error_code")
      record.error_code = value;
    else if (name == "error")
      record.error = value;
    if (!good) return std::nullopt;
  }
  return record;
}

namespace {

// FNV-1a: enough to tell a torn line, and the launcher links no other hash.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return sum;
}

}  // namespace

std::string encode_end(const std::string& key, const ExitRecord& record) {
  const std::string text = key + " " + record.end + " " + std::to_string(record.code) + " " +
                           std::to_string(record.started_at) + " " + std::to_string(record.ended_at);
  return text + " " + std::to_string(checksum(text)) + "\n";
}

bool decode_end(std::string_view line, std::string& key, ExitRecord& record) {
  std::string words[6];
  std::size_t count = 0, at = 0, before_crc = 0;
  for (; count < 6 && at <= line.size(); ++count) {
    const std::size_t space = std::min(line.find(' ', at), line.size());
    if (count == 5) before_crc = at - 1;
    words[count] = std::string(line.substr(at, space - at));
    at = space + 1;
  }
  std::uint64_t sum = 0;
  if (count != 6 || !parse(words[5], sum) || sum != checksum(line.substr(0, before_crc))) return false;
  key = words[0];
  record.end = words[1];
  return parse(words[2], record.code) && parse(words[3], record.started_at) &&
         parse(words[4], record.ended_at);
}

std::optional<Lease> read_lease(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::uint64_t words[2];
  const bool good = pread(fd, words, sizeof words, 0) == static_cast<ssize_t>(sizeof words);
  close(fd);
  if (!good) return std::nullopt;
  return Lease{words[0], static_cast<std::int64_t>(words[1])};
}

std::int64_t lease_deadline(const ShimSpec& spec, const std::string& lease_path) {
  if (spec.lease_until == 0) return kNoLease;
  const auto lease = read_lease(lease_path);
  if (!lease) return spec.lease_until;
  return lease->generation == spec.lease_generation ? std::max(lease->until, spec.lease_until) : 0;
}

}  // namespace berth::agents::shim
