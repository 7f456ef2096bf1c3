// ImageBuild: one build of an image, from the lock to the registration. The builder's lines are followed on
// stderr and reported to the cluster, where sessions wait for the image.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "ops/cli/image/build_line.h"
#include "ops/cli/image/build_lock.h"
#include "ops/cli/image/builder_process.h"
#include "ops/cli/session/interrupts.h"
#include "ops/cli/shell.h"

namespace berth::cli {

struct BuildAim {
  std::string name;     // what the builder is to make: "jupyter"
  std::string builder;  // the program, an absolute path
  std::string lock;     // the file that all builds of this machine share
  std::string host;     // this machine's name, by which the cluster tells builders apart
  bool wait = false;    // for a build that has the lock; else it is an error
  int input = -1;       // a descriptor that ends the build when it is closed; -1: none
};

class ImageBuild {
 public:
  ImageBuild(Shell& shell, Api& api, BuildAim aim) : shell_(shell), api_(api), aim_(std::move(aim)) {}

  // The images as they are registered. Failures: image-build-running (kConflict), image-build-failed,
  // builder-not-runnable, build-lock-unusable, interrupted, those of the layout and of the API.
  Outcome<boost::json::array> run();

 private:
  std::optional<Failure> take_lock();
  std::optional<Failure> follow();
  void take_line(BuilderProcess::Stream stream, const std::string& line);
  void report(const BuildProgress& progress);
  void report_failure(const std::string& why);
  Failure failed(const std::string& why);
  std::optional<boost::json::object> find_registered(const BuiltImage& built, const std::string& digest);
  Outcome<boost::json::object> register_image(const BuiltImage& built);
  std::vector<int> stops() const;
  std::string last_words() const;

  Shell& shell_;
  Api& api_;
  const BuildAim aim_;
  Interrupts interrupts_;
  BuildLock lock_;
  BuilderProcess builder_;
  std::optional<BuildProgress> reported_;  // the last one that the cluster took
  std::optional<Failure> refused_;         // the cluster wants no such build
  bool unheard_ = false;                   // the last report reached nobody
  std::deque<std::string> words_;          // the builder's last lines on stderr that were no progress
  std::vector<BuiltImage> built_;
};

}  // namespace berth::cli
