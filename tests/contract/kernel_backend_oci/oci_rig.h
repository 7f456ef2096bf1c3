// Real containers: needs root, runc and the image python:3.11, which is made once (ops/images/build) and
// unpacked once a run.
#pragma once

#include <future>

#include "agents/kernel/backends.h"
#include "tests/contract/kernel_backend_real_rig.h"

namespace berth::agents::contract {

// The unpacked image, shared by all tests of this program; `why` says why there is none.
struct TestImage {
  std::string folder;
  StoredImage image;
  std::string why;

  TestImage() {
    if (geteuid() != 0)
      why = "containers need root";
    else if (system("command -v runc >/dev/null && command -v umoci >/dev/null && command -v skopeo "
                    ">/dev/null") != 0)
      why = "runc, umoci or skopeo is not installed";
    else if (system("ops/images/build python:3.11 >/dev/null") != 0)  // the tests run in the root of the tree
      why = "ops/images/build python:3.11 failed";
    if (!why.empty()) return;
    char name[] = "/tmp/berth-images-XXXXXX";
    folder = mkdtemp(name);
    auto store = open_image_store({.folder = folder});
    if (!store.ok()) {
      why = to_string(store.error());
      return;
    }
    std::promise<Result<StoredImage>> done;
    const std::string source =
        "oci:" + std::filesystem::current_path().string() + "/build/images/python:3.11";
    (*store)->ensure({"python:3.11", source, ""}, {},
                     [&](Result<StoredImage> result) { done.set_value(std::move(result)); });
    auto result = done.get_future().get();
    if (result.ok())
      image = *result;
    else
      why = to_string(result.error());
  }
  ~TestImage() {
    std::error_code error;
    if (!folder.empty()) std::filesystem::remove_all(folder, error);
  }
  static TestImage& get() {
    static TestImage image;
    return image;
  }
};

class OciRig final : public RealRig {
 public:
  OciRig() : RealRig(BackendKind::kOci) {}
  std::string missing() override { return TestImage::get().why; }
  std::string rootfs() override { return TestImage::get().image.rootfs; }
};

}  // namespace berth::agents::contract
