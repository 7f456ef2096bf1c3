// berth-policy-host LIBRARY: loads a selection policy and answers questions about agents on stdin, until that
// ends. A process of its own, so that a library that crashes, hangs or writes where it should not takes
// nobody with it.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <vector>

#include "controller/placement/select/custom/berth_policy.h"
#include "controller/policy_host/wire.h"

namespace {

using namespace berth::controller::policy;  // NOLINT: one program

bool read_all(int fd, char* to, std::size_t size) {
  for (std::size_t got = 0; got < size;) {
    const ssize_t n = ::read(fd, to + got, size - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    got += static_cast<std::size_t>(n);
  }
  return true;
}

bool write_all(int fd, const std::string& bytes) {
  for (std::size_t put = 0; put < bytes.size();) {
    const ssize_t n = ::write(fd, bytes.data() + put, bytes.size() - put);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    put += static_cast<std::size_t>(n);
  }
  return true;
}

int fail(int out, const std::string& why) {
  Packer frame;
  frame.number(Answer::kFailed);
  frame.text(why);
  write_all(out, frame.take());
  return 1;
}

// The question as the library reads it; owns what its pointers lead to.
struct Question {
  explicit Question(Unpacker& in) {
    const auto slots_n = in.number<std::uint32_t>(), kernels = in.number<std::uint32_t>(),
               agents_n = in.number<std::uint32_t>();
    for (std::uint32_t i = 0; i < slots_n && in.ok(); ++i) {
      const auto kind = in.number<std::uint32_t>();
      const auto asked = in.number<std::int64_t>();
      slots.push_back({keep(in.text()), kind, 0, asked});
    }
    for (std::uint32_t i = 0; i < agents_n && in.ok(); ++i) read_agent(in);
    question = {sizeof question, kernels, slots_n, agents_n, slots.data(), agents.data()};
  }

  void read_agent(Unpacker& in) {
    berth_policy_agent agent{};
    agent.id = keep(in.text());
    agent.containers = in.number<std::uint32_t>();
    agent.n_devices = in.number<std::uint32_t>();
    auto& devices_of = devices.emplace_back();
    for (std::uint32_t i = 0; i < agent.n_devices && in.ok(); ++i) {
      const auto numa = in.number<std::int32_t>();
      devices_of.push_back({keep(in.text()), numa, 0});
    }
    agent.n_amounts = in.number<std::uint32_t>();
    auto& amounts_of = amounts.emplace_back();
    for (std::uint32_t i = 0; i < agent.n_amounts && in.ok(); ++i) {
      berth_policy_amount amount{};
      amount.slot = in.number<std::uint32_t>();
      amount.device = in.number<std::uint32_t>();
      amount.capacity = in.number<std::int64_t>();
      amount.free = in.number<std::int64_t>();
      amounts_of.push_back(amount);
    }
    agent.devices = devices_of.data();
    agent.amounts = amounts_of.data();
    agents.push_back(agent);
  }
  const char* keep(std::string_view text) { return texts.emplace_back(text).c_str(); }

  std::deque<std::string> texts;
  std::vector<berth_policy_slot> slots;
  std::deque<std::vector<berth_policy_device>> devices;
  std::deque<std::vector<berth_policy_amount>> amounts;
  std::vector<berth_policy_agent> agents;
  berth_policy_question question{};
};

int serve(int in, int out, const berth_policy& policy) {
  std::string bytes;
  for (std::uint32_t size = 0; read_all(in, reinterpret_cast<char*>(&size), sizeof size);) {
    if (size > kFrameMax) return fail(out, "a question that is too long");
    bytes.resize(size);
    if (!read_all(in, bytes.data(), size)) return 0;
    Unpacker unpacker(bytes);
    const Question asked(unpacker);
    if (!unpacker.ok()) return fail(out, "a question that ends too early");
    std::vector<std::int64_t> scores(asked.agents.size(),
                                     INT64_MIN);  // one that is not written is out of range
    if (policy.score(&asked.question, scores.data()) != 0) return fail(out, "it had no answer");
    Packer frame;
    frame.number(Answer::kScores);
    for (const std::int64_t score : scores) frame.number(score);
    if (!write_all(out, frame.take())) return 0;
  }
  return 0;
}

void limit(int what, rlim_t most) {
  const rlimit both{most, most};
  ::setrlimit(static_cast<__rlimit_resource>(what), &both);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  // What the library prints must not look like an answer; files of the controller are not its business.
  ::close_range(3, ~0u, 0);
  const int in = ::fcntl(0, F_DUPFD_CLOEXEC, 3), out = ::fcntl(1, F_DUPFD_CLOEXEC, 3);
  if (in < 0 || out < 0) return 2;
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, 0);
  ::dup2(2, 1);
  limit(RLIMIT_CORE, 0);
#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // their shadow memory is larger than that
  limit(RLIMIT_AS, rlim_t{2} << 30);
#endif
  limit(RLIMIT_NOFILE, 64);
  void* library = ::dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = ::dlerror();
    return fail(out, why == nullptr ? "it cannot be loaded" : why);
  }
  const auto entry = reinterpret_cast<const berth_policy* (*)()>(::dlsym(library, "berth_policy_entry"));
  if (entry == nullptr) return fail(out, "it exports no berth_policy_entry");
  const berth_policy* policy = entry();
  if (policy == nullptr || policy->abi != BERTH_POLICY_ABI || policy->size < sizeof(berth_policy) ||
      policy->score == nullptr)
    return fail(out, "it is of ABI " + std::to_string(policy == nullptr ? 0 : policy->abi) +
                         ", this host of " + std::to_string(BERTH_POLICY_ABI));
  Packer ready;
  ready.number(Answer::kReady);
  if (!write_all(out, ready.take())) return 0;
  return serve(in, out, *policy);
}
