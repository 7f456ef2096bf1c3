// BackgroundBuild: `berth image build` as a child of `berth up`, whose words go to a file. It asks the API
// like any other, as the superadmin of the data folder, and ends with its parent, however that ends.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "events/base/result.h"

namespace berth::cli {

struct BackgroundBuildConfig {
  std::string program;  // berth
  std::string data;     // of the running Berth
  std::string name;     // of the image: "jupyter"
  std::string builder;  // the program that makes it
  std::string log;      // a file, written anew
};

class BackgroundBuild {
 public:
  BackgroundBuild() = default;
  ~BackgroundBuild() { stop(); }
  BackgroundBuild(const BackgroundBuild&) = delete;
  BackgroundBuild& operator=(const BackgroundBuild&) = delete;

  // `say`: one line for people when the image is there, or is not to be had; on a thread of this object's
  // own. Code: builder-not-runnable.
  Result<void> start(BackgroundBuildConfig config, std::function<void(const std::string&)> say);
  // Ends a build that runs, which says so to the API first. Nothing is said to people any more.
  void stop();

 private:
  void watch();
  std::string read_names();
  void close_all();

  BackgroundBuildConfig config_;
  std::function<void(const std::string&)> say_;
  int input_ = -1;   // closed: the child ends
  int output_ = -1;  // names of images
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable ended_;
  pid_t pid_ = -1;         // -1: it does not run
  bool stopping_ = false;  // by stop()
};

}  // namespace berth::cli
