#include "controller/api/folders/file_stream.h"

#include <utility>

#include "controller/api/folders/access_watch.h"

namespace berth::controller::api {
namespace {

class FileStream final : public FrameStream {
 public:
  FileStream(const Services& services, Caller caller, FolderId folder, std::shared_ptr<KernelChannel> channel,
             std::uint64_t bytes)
      : watch_(services.context, std::move(caller), folder, projections::FolderAccess::kRead),
        channel_(std::move(channel)),
        left_(std::make_shared<std::uint64_t>(bytes)) {}

  void next(std::function<void(Batch)> done) override {
    if (*left_ == 0 || !watch_.may_go_on()) return done({{}, true});
    channel_->read([left = left_, done = std::move(done)](Result<std::string> bytes) {
      if (!bytes.ok() || bytes->empty()) return done({{}, true});
      if (bytes->size() > *left) bytes->resize(*left);
      *left -= bytes->size();
      done({{std::make_shared<const std::string>(std::move(*bytes))}, *left == 0});
    });
  }

 private:
  AccessWatch watch_;
  const std::shared_ptr<KernelChannel> channel_;
  const std::shared_ptr<std::uint64_t> left_;  // bytes; a reading may outlive this
};

}  // namespace

std::shared_ptr<FrameStream> make_file_stream(const Services& services, Caller caller, FolderId folder,
                                              std::shared_ptr<KernelChannel> channel, std::uint64_t bytes) {
  return std::make_shared<FileStream>(services, std::move(caller), folder, std::move(channel), bytes);
}

}  // namespace berth::controller::api
