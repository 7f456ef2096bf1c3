#include "ops/cli/image/image_build.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "events/base/text.h"
#include "events/codec/image_labels.h"
#include "ops/cli/image/oci_layout.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kWordsMax = 5;         // lines of a failure
constexpr std::size_t kWordsBytesMax = 900;  // in all
constexpr std::size_t kWhyBytesMax = 1'000;  // the API takes 1,024
constexpr int kEndPatienceMs = 10'000;       // mmdebstrap unmounts and removes what it made
constexpr int kLockLookMs = 200;

// The build goes on without the cluster's ear, unless it is told that it must not.
bool is_refusal(const Failure& failure) { return failure.exit != kUnreachable && failure.exit != kTimeout; }

// No build of it goes on or has failed, of which nothing but a registration is the end.
bool is_at_rest(const json::value& image) {
  for (const char* member : {"building", "build_failed"})
    if (const auto* build = find_path(image, member); build != nullptr && !build->is_null()) return false;
  return true;
}

bool is_readable(const std::vector<int>& descriptors, int wait_ms) {
  std::vector<pollfd> fds;
  for (const int fd : descriptors) fds.push_back({fd, POLLIN, 0});
  return ::poll(fds.data(), fds.size(), wait_ms) > 0;
}

}  // namespace

std::vector<int> ImageBuild::stops() const {
  std::vector<int> stops{interrupts_.descriptor()};
  if (aim_.input >= 0) stops.push_back(aim_.input);
  return stops;
}

std::optional<Failure> ImageBuild::take_lock() {
  const std::string who = aim_.name + " (process " + std::to_string(::getpid()) + ")";
  for (bool said = false;; said = true) {
    const auto taken = lock_.take(aim_.lock, who);
    if (!taken) return failure_of(taken.error());
    if (*taken) return std::nullopt;
    const std::string running = "this machine is building " + lock_.holder();
    if (!aim_.wait)
      return Failure{
          kConflict, "image-build-running", running, "one image is built at a time: --wait-turn waits", {}};
    if (!said) shell_.note(running + ": waiting for its end");
    if (is_readable(stops(), kLockLookMs)) return interrupted_failure();
  }
}

std::string ImageBuild::last_words() const {
  std::string words;
  for (const std::string& line : words_) words += (words.empty() ? "" : " / ") + line;
  return clipped(words, kWordsBytesMax);
}

void ImageBuild::take_line(BuilderProcess::Stream stream, const std::string& line) {
  if (stream == BuilderProcess::Stream::kOut) {
    if (auto built = read_built_line(line)) built_.push_back(std::move(*built));
    return;
  }
  shell_.note(line);
  if (const auto progress = read_progress_line(line)) return report(*progress);
  words_.push_back(plain(line));
  if (words_.size() > kWordsMax) words_.pop_front();
}

void ImageBuild::report(const BuildProgress& progress) {
  if (refused_ || reported_ == progress) return;
  const auto reply =
      api_.post("/v1/images/" + percent_encoded(progress.reference) + "/build",
                json::object{{"percent", progress.percent}, {"step", progress.step}, {"builder", aim_.host}});
  if (reply) {
    reported_ = progress;
    unheard_ = false;
    return;
  }
  if (is_refusal(reply.failure())) {
    refused_ = reply.failure();
    return;
  }
  if (!unheard_) shell_.note("nobody hears how far it is: " + reply.failure().message);
  unheard_ = true;
}

// Of what nobody knows that it is being built, nothing is said.
void ImageBuild::report_failure(const std::string& why) {
  if (!reported_ || refused_) return;
  const auto reply =
      api_.post("/v1/images/" + percent_encoded(reported_->reference) + "/build",
                json::object{{"failed", clipped(plain(why), kWhyBytesMax)}, {"builder", aim_.host}});
  if (!reply) shell_.note("nobody hears that it failed: " + reply.failure().message);
}

// nullopt: the builder has done what it was asked for.
std::optional<Failure> ImageBuild::follow() {
  if (const auto started = builder_.start({aim_.builder, aim_.name}); !started)
    return failure_of(started.error());
  const auto stopped = builder_.follow(stops(), [this](auto stream, const std::string& line) {
    take_line(stream, line);
    return !refused_;
  });
  if (stopped == BuilderProcess::Stopped::kAsked) {
    builder_.end(kEndPatienceMs);
    if (refused_) return refused_;
    report_failure("the build was stopped");
    return interrupted_failure();
  }
  const bool is_named = std::ranges::any_of(
      built_, [this](const BuiltImage& one) { return !reported_ || one.reference == reported_->reference; });
  if (builder_.succeeded() && is_named) return std::nullopt;
  const std::string how = builder_.succeeded() ? "the builder does not say where the image is"
                                               : "the builder ended with " + builder_.how_it_ended();
  const std::string words = last_words();
  return failed(how + (words.empty() ? "" : ": " + words));
}

Failure ImageBuild::failed(const std::string& why) {
  report_failure(why);
  return {kFailed, "image-build-failed", aim_.name + " could not be built: " + why, {}, {}};
}

// The image as it is registered, if the cluster knows this very one and waits for no other.
std::optional<json::object> ImageBuild::find_registered(const BuiltImage& built, const std::string& digest) {
  if (reported_ && reported_->reference == built.reference) return std::nullopt;
  const auto reply = api_.get("/v1/images");
  if (!reply) return std::nullopt;
  for (const auto& image : array_at(reply->body, "images")) {
    if (text_at(image, "reference") == built.reference && text_at(image, "source") == built.source() &&
        text_at(image, "digest") == digest && is_at_rest(image))
      return image.as_object();
  }
  return std::nullopt;
}

// An image that is registered as it is stays: an event less, and labels that somebody gave it are kept.
Outcome<json::object> ImageBuild::register_image(const BuiltImage& built) {
  auto image = read_layout_image({built.folder, built.tag}, own_architecture());
  if (!image) return failed(to_string(image.error()));
  std::erase_if(image->labels, [](const auto& label) { return !label.first.starts_with("berth."); });
  if (const auto known = parse_image_labels(image->labels); !known) return failed(to_string(known.error()));
  if (auto row = find_registered(built, image->digest)) return std::move(*row);
  json::object body{{"reference", built.reference},
                    {"source", built.source()},
                    {"digest", image->digest},
                    {"architecture", image->architecture}};
  json::object labels;
  for (const auto& [name, value] : image->labels) labels[name] = value;
  if (!labels.empty()) body["labels"] = std::move(labels);
  const auto reply = having(api_.post("/v1/images", body), {"image.reference"});
  if (!reply) return reply.failure();
  return find_path(reply->body, "image")->as_object();
}

Outcome<json::array> ImageBuild::run() {
  if (auto failure = take_lock()) return std::move(*failure);
  if (auto failure = follow()) return std::move(*failure);
  json::array images;
  for (const BuiltImage& built : built_) {
    auto image = register_image(built);
    if (!image) return image.failure();
    images.push_back(std::move(*image));
  }
  return images;
}

}  // namespace berth::cli
