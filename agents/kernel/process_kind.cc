#include "agents/kernel/kernel_kind.h"

namespace berth::agents {
namespace {

class ProcessKind final : public KernelKind {
 public:
  explicit ProcessKind(std::string init_path) : init_path_(std::move(init_path)) {}

  const char* name() const override { return "process"; }
  bool needs_image() const override { return false; }

  Result<shim::ShimSpec> prepare(const KernelSpec& spec, const std::string&,
                                 const shim::KernelFiles&) override {
    shim::ShimSpec out;
    out.init = init_path_;
    out.args = spec.command;
    out.env = environment_of(spec);
    return out;
  }

 private:
  std::string init_path_;
};

}  // namespace

std::vector<std::string> environment_of(const KernelSpec& spec) {
  std::vector<std::string> env;
  bool has_path = false, has_hostname = false;
  for (const auto& [name, value] : spec.env) {
    has_path |= name == "PATH";
    has_hostname |= name == "HOSTNAME";
    env.push_back(name + "=" + value);
  }
  if (!has_path) env.push_back("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  if (!has_hostname) env.push_back("HOSTNAME=" + spec.hostname);
  return env;
}

std::unique_ptr<KernelKind> make_process_kind(std::string init_path) {
  return std::make_unique<ProcessKind>(std::move(init_path));
}

}  // namespace berth::agents
