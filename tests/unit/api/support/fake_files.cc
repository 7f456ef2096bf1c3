#include "tests/unit/api/support/fake_files.h"

#include <chrono>
#include <thread>
#include <utility>

namespace berth::testing {

using controller::FilesAnswer;

// Shared by the API's end and what is posted.
class FakeFiles::Channel final : public controller::KernelChannel {
 public:
  struct State {
    std::mutex mutex;
    Asked asked;
    std::size_t number = 0;  // among all questions
    bool answered = false;
    FakeFileAnswer answer;
    std::size_t at = 0;
    controller::FilesAnswered tell;
  };
  Channel(FakeFiles& files, const controller::FilesQuestion& question, controller::FilesAnswered answered)
      : files_(files), state_(std::make_shared<State>()) {
    state_->asked.question = question;
    state_->asked.what = file_service_path_in(question.path).value_or(FileServicePath());
    state_->tell = std::move(answered);
    const std::lock_guard lock(files_.shared_->mutex);
    state_->number = files_.shared_->asked.size();
    files_.shared_->asked.push_back(state_->asked);
    ++files_.shared_->open;
  }
  ~Channel() override {
    const std::lock_guard lock(shared_->mutex);
    --shared_->open;
  }
  void begin() {
    FakeFileAnswer early = files_.answer(state_->asked);
    if (early.at_once) give(std::move(early));
  }
  void read(std::function<void(Result<std::string>)> done) override {
    files_.thread_.post([state = state_, done = std::move(done)] {
      const std::lock_guard lock(state->mutex);
      if (!state->answered) return done(make_error("agent-unreachable", "read too early"));
      std::string piece = state->answer.body.substr(state->at, state->answer.piece);
      state->at += piece.size();
      if (piece.empty() && state->answer.breaks) return done(make_error("agent-unreachable", "lost"));
      done(std::move(piece));
    });
  }
  void write(std::string bytes, std::function<void(Result<void>)> done) override {
    {
      const std::lock_guard lock(state_->mutex);
      state_->asked.body += bytes;
    }
    files_.thread_.post([done = std::move(done), refused = state_->answered] {
      done(refused ? Result<void>(make_error("agent-unreachable", "it takes no more")) : Result<void>());
    });
  }
  void finish() override {
    {
      const std::lock_guard lock(state_->mutex);
      if (state_->answered) return;
    }
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->asked[state_->number].body = state_->asked.body;
    }
    give(files_.answer(state_->asked));
  }

 private:
  void give(FakeFileAnswer answer) {
    const std::lock_guard lock(state_->mutex);
    state_->answered = true;
    state_->answer = std::move(answer);
    FilesAnswer out{state_->answer.refused, state_->answer.offset, {}};
    if (state_->answer.entry.type() != v1::FILE_TYPE_UNSPECIFIED)
      out.entry = state_->answer.entry.SerializeAsString();
    files_.thread_.post([tell = std::exchange(state_->tell, nullptr), out = std::move(out)] { tell(out); });
  }

  FakeFiles& files_;
  const std::shared_ptr<State> state_;
  const std::shared_ptr<Shared> shared_ = files_.shared_;
};

std::shared_ptr<controller::KernelChannel> FakeFiles::open_files(const controller::FilesQuestion& question,
                                                                 controller::FilesAnswered answered) {
  auto channel = std::make_shared<Channel>(*this, question, std::move(answered));
  channel->begin();
  return channel;
}

std::vector<FakeFiles::Asked> FakeFiles::asked() {
  const std::lock_guard lock(shared_->mutex);
  return shared_->asked;
}

int FakeFiles::open() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->open;
}

bool FakeFiles::await_closed() const {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (open() != 0 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  return open() == 0;
}

FakeFileAnswer answer_with(const v1::FileAnswer& answer) {
  FakeFileAnswer out;
  out.body = answer.SerializeAsString();
  return out;
}

v1::FileEntry file_entry(const std::string& name, std::uint64_t bytes, const std::string& tag) {
  v1::FileEntry entry;
  entry.set_name(name);
  entry.set_type(v1::FILE);
  entry.set_bytes(bytes);
  entry.set_modified_ns(1'767'225'600'000'000'000);
  entry.set_mode(0644);
  entry.set_tag(tag);
  return entry;
}

}  // namespace berth::testing
