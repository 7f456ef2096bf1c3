// ImageStore: images pulled once per agent, unpacked, shared read-only by all kernels.
//
// A source is an OCI layout on this machine ("oci:/path:tag") or a registry reference
// ("docker://host/name:tag"), fetched by skopeo and unpacked by umoci with owners shifted into the kernels'
// user namespace. Calls from the agent's strand; callbacks on a thread of the store's own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "events/base/result.h"

namespace berth::agents {

struct ImageRequest {
  std::string reference;  // canonical, "python:3.11"
  std::string source;     // as above
  std::string digest;     // "sha256:..."; empty: the newest of the source
};

struct ImageProgress {
  std::string reference;
  std::uint32_t percent = 0;  // 0..100, grows
  std::string step;           // "copy", "unpack"
};

struct StoredImage {
  std::string reference;
  std::string digest;  // manifest digest
  std::string rootfs;  // folder of the unpacked root file system
  std::uint64_t bytes = 0;
};

class ImageStore {
 public:
  using OnProgress = std::function<void(const ImageProgress&)>;
  using OnDone = std::function<void(Result<StoredImage>)>;

  virtual ~ImageStore() = default;
  // Calls `done` at once if the image is stored already. Equal requests in flight share one pull.
  // Codes: unknown-image (the source does not have it), image-pull-failed, image-digest-differs,
  // image-user-unknown, disk-full.
  virtual void ensure(ImageRequest request, OnProgress progress, OnDone done) = 0;
  virtual std::vector<StoredImage> list() const = 0;
};

}  // namespace berth::agents
