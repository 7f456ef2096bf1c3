// ImageStore by skopeo (copy) and umoci (unpack).
//
//   FOLDER/images/HEX/rootfs
//       unpacked, owners shifted, read-only by convention: kernels see it through an overlay
//   FOLDER/images/HEX/image.json
//       {v, digest, references, bytes, process}, written before the folder gets its name
//   FOLDER/pulls/...
//       pulls under way; removed at the next opening
//
// HEX is the manifest's digest: references of the same content share a folder. Thread-safe; one thread per
// pull.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "agents/kernel/backends.h"
#include "agents/kernel/image/image_process.h"
#include "agents/kernel/image_store.h"

namespace berth::agents {

class SkopeoImageStore final : public ImageStore {
 public:
  static Result<std::unique_ptr<ImageStore>> open(ImageStoreConfig config);
  ~SkopeoImageStore() override;  // ends pulls in flight; their `done` is called with image-pull-failed

  void ensure(ImageRequest request, OnProgress progress, OnDone done) override;
  std::vector<StoredImage> list() const override;

 private:
  struct Waiter {
    OnProgress progress;
    OnDone done;
  };
  struct Pull {
    ImageRequest request;
    std::vector<Waiter> waiters;
    std::uint32_t percent = 0;
    bool finished = false;
    std::thread thread;
  };

  explicit SkopeoImageStore(ImageStoreConfig config) : config_(std::move(config)) {}
  Result<void> prepare();
  void load(const std::string& hex);
  bool save(const StoredImage& image, const std::string& folder, const ImageProcess& process);
  std::string folder_of(const std::string& digest) const;
  const StoredImage* find(const ImageRequest& request) const;

  void run(Pull& pull);
  Result<StoredImage> fetch(Pull& pull);
  Result<StoredImage> unpack(Pull& pull, const std::string& work, const std::string& digest);
  Result<StoredImage> keep(const ImageRequest& request, const std::string& digest, const std::string& bundle,
                           const ImageProcess& process);
  void report(Pull& pull, std::uint32_t percent, const char* step);

  ImageStoreConfig config_;
  std::atomic<bool> closing_ = false;
  mutable std::mutex mutex_;
  std::map<std::string, StoredImage> by_reference_;
  std::map<std::string, std::unique_ptr<Pull>> pulls_;  // reference, source and digest -> pull
  std::uint64_t next_work_ = 0;
};

// Manifest digest of TAG in the OCI layout at PATH; empty if the layout has no such tag.
std::string layout_digest(const std::string& path, const std::string& tag);
// "oci:/path:tag" -> {path, tag}; nullopt for anything else.
std::optional<std::pair<std::string, std::string>> parse_layout_source(const std::string& source);
// The error of image_store.h that stands for the output of skopeo or umoci.
Error image_error(const std::string& what, const std::string& said);

}  // namespace berth::agents
