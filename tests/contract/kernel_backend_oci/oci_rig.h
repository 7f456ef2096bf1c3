// Real containers: needs root, runc (or BERTH_TEST_RUNTIME) and the image python:3.11, which is made once
// (ops/images/build) and unpacked once a run.
#pragma once

#include <boost/json.hpp>
#include <fstream>
#include <future>

#include "agents/kernel/backends.h"
#include "tests/contract/kernel_backend_real_rig.h"

namespace berth::agents::contract {

// Unpacks the image `name` of build/images into `folder`.
inline Result<StoredImage> unpack_image(const std::string& folder, const std::string& name) {
  auto store = open_image_store({.folder = folder});
  if (!store.ok()) return store.error();
  std::promise<Result<StoredImage>> done;
  const std::string source = "oci:" + std::filesystem::current_path().string() + "/build/images/" + name;
  (*store)->ensure({name, source, ""}, {},
                   [&](Result<StoredImage> result) { done.set_value(std::move(result)); });
  return done.get_future().get();
}

// The unpacked image, shared by all tests of this program; `why` says why there is none.
struct TestImage {
  std::string folder;
  StoredImage image;
  std::string rootfs_as_root;  // the same files, of an image whose user is root
  std::string why;

  TestImage() {
    if (geteuid() != 0)
      why = "containers need root";
    else if (system("command -v ${BERTH_TEST_RUNTIME:-runc} >/dev/null && command -v umoci >/dev/null && "
                    "command -v skopeo >/dev/null") != 0)
      why = "the runtime, umoci or skopeo is not installed";
    else if (system("ops/images/build python:3.11 >/dev/null") != 0)  // the tests run in the root of the tree
      why = "ops/images/build python:3.11 failed";
    if (!why.empty()) return;
    char name[] = "/var/tmp/berth-images-XXXXXX";
    folder = mkdtemp(name);
    auto result = unpack_image(folder, "python:3.11");
    if (result.ok())
      image = *result;
    else
      why = to_string(result.error());
    if (why.empty()) make_image_of_root();
  }
  ~TestImage() {
    std::error_code error;
    if (!folder.empty()) std::filesystem::remove_all(folder, error);
  }
  static TestImage& get() {
    static TestImage image;
    return image;
  }

 private:
  void make_image_of_root() {
    const std::string beside = folder + "/as-root";
    std::filesystem::create_directory(beside);
    rootfs_as_root = beside + "/rootfs";
    std::filesystem::create_directory_symlink(image.rootfs, rootfs_as_root);
    const auto record = std::filesystem::path(image.rootfs).parent_path() / "image.json";
    boost::json::value text = boost::json::parse(shim::read_file(record).value_or(""));
    boost::json::object& process = text.at("process").as_object();
    process["uid"] = process["gid"] = 0;
    process["home"] = "/root";
    process["folder"] = "/";
    std::ofstream(beside + "/image.json") << boost::json::serialize(text);
  }
};

class OciRig final : public RealRig {
 public:
  OciRig() : RealRig(BackendKind::kOci) {}
  std::string missing() override { return TestImage::get().why; }
  std::string rootfs() override { return TestImage::get().image.rootfs; }
};

// Kernels whose programs run as root.
class OciRootRig final : public RealRig {
 public:
  OciRootRig() : RealRig(BackendKind::kOci) {}
  std::string missing() override { return TestImage::get().why; }
  std::string rootfs() override { return TestImage::get().rootfs_as_root; }
};

}  // namespace berth::agents::contract
