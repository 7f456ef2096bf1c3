#include "controller/api/folders/file_stream.h"

#include <utility>

namespace berth::controller::api {
namespace {

constexpr Duration kLookEvery = kSecond;

class FileStream final : public FrameStream {
 public:
  FileStream(const Services& services, Caller caller, FolderId folder, std::shared_ptr<KernelChannel> channel,
             std::uint64_t bytes)
      : context_(services.context),
        caller_(std::move(caller)),
        folder_(folder),
        channel_(std::move(channel)),
        left_(std::make_shared<std::uint64_t>(bytes)),
        looked_(context_.clock().now().wall) {}

  void next(std::function<void(Batch)> done) override {
    if (*left_ == 0 || !may_go_on()) return done({{}, true});
    channel_->read([left = left_, done = std::move(done)](Result<std::string> bytes) {
      if (!bytes.ok() || bytes->empty()) return done({{}, true});
      if (bytes->size() > *left) bytes->resize(*left);
      *left -= bytes->size();
      done({{std::make_shared<const std::string>(std::move(*bytes))}, *left == 0});
    });
  }

 private:
  bool may_go_on() {
    const Timestamp now = context_.clock().now().wall;
    if (now - looked_ < kLookEvery) return true;
    looked_ = now;
    bool may = false;
    context_.with_state([&](const StateView& view) {
      may = still_may(view, caller_, folder_, projections::FolderAccess::kRead, now);
    });
    return may;
  }

  ApiContext& context_;
  const Caller caller_;
  const FolderId folder_;
  const std::shared_ptr<KernelChannel> channel_;
  const std::shared_ptr<std::uint64_t> left_;  // bytes; a reading may outlive this
  Timestamp looked_;                           // wall time
};

}  // namespace

std::shared_ptr<FrameStream> make_file_stream(const Services& services, Caller caller, FolderId folder,
                                              std::shared_ptr<KernelChannel> channel, std::uint64_t bytes) {
  return std::make_shared<FileStream>(services, std::move(caller), folder, std::move(channel), bytes);
}

}  // namespace berth::controller::api
