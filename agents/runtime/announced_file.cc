#include "agents/runtime/announced_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "events/codec/envelope.h"

namespace berth::agents {

std::vector<v1::Device> read_announced(const std::string& path, const Uuid& cluster) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const auto envelope = open_envelope(bytes, cluster);
  v1::AgentJoined announced;
  if (!envelope || !announced.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())))
    return {};
  return {announced.devices().begin(), announced.devices().end()};
}

Result<void> write_announced(const std::string& path, const Uuid& cluster, const v1::AgentJoined& announced) {
  const std::string aside = path + ".new";
  std::ofstream file(aside, std::ios::binary | std::ios::trunc);
  file << make_envelope(cluster, announced.SerializeAsString());
  file.close();
  std::error_code error;
  if (file.good()) std::filesystem::rename(aside, path, error);
  if (file.good() && !error) return {};
  return make_error("file-write-failed", path + ": " + (error ? error.message() : std::strerror(errno)),
                    "is the disk full?");
}

}  // namespace berth::agents
