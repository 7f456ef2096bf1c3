#include "controller/runtime/endpoint_file.h"

#include "events/base/files/durable_file.h"

namespace berth::controller {
namespace {

std::string path_in(const std::string& data) { return data + "/berth.endpoint"; }

}  // namespace

Result<void> write_endpoint_file(const std::string& data, const std::string& endpoint,
                                 const std::string& fingerprint) {
  const std::string text = endpoint + "\n" + (fingerprint.empty() ? "" : fingerprint + "\n");
  const std::error_code failed = write_durably(path_in(data), text, 0600);
  if (!failed) return {};
  return make_error("data-folder", "cannot write " + path_in(data) + ": " + failed.message(),
                    "is the disk full?");
}

void remove_endpoint_file(const std::string& data) { remove_durably(path_in(data)); }

}  // namespace berth::controller
