// Folders of volumes in containers: whom their files belong to, what they give no rights to, and that nothing
// of a mount stays.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "agents/volumes/disk_owner.h"
#include "events/base/files/descriptor.h"
#include "tests/contract/kernel_backend_contract.h"
#include "tests/contract/kernel_backend_oci/oci_rig.h"

namespace berth::agents::contract {
namespace {

namespace fs = std::filesystem;

std::vector<pid_t> children_of(const std::string& process) {
  const std::string path = process == "thread-self" ? process : process + "/task/" + process;
  std::istringstream list(shim::read_file("/proc/" + path + "/children").value_or(""));
  std::vector<pid_t> pids;
  for (pid_t pid = 0; list >> pid;) pids.push_back(pid);
  return pids;
}

class Folders : public KernelBackendContract {
 protected:
  void SetUp() override {
    KernelBackendContract::SetUp();
    make_volume("/var/tmp");
  }
  void TearDown() override {
    KernelBackendContract::TearDown();
    backend_.reset();
    std::error_code error;
    for (const std::string& folder : temporary_) fs::remove_all(folder, error);
  }

  void make_volume(const std::string& beside) {
    volume_ = make_temporary(beside + "/berth-volume-XXXXXX");
    fs::create_directory(volume_ + "/folders");
  }
  std::string make_temporary(std::string path) {
    EXPECT_NE(mkdtemp(path.data()), nullptr) << path;
    return temporary_.emplace_back(std::move(path));
  }
  static std::string name_of(int number) {
    const std::string digits = std::to_string(number);
    return std::string(32 - digits.size(), 'a') + digits;
  }
  std::string path_of(int number) const { return volume_ + "/folders/" + name_of(number); }
  // A folder as the agent makes it.
  FolderMount folder(int number, const std::string& target, std::uint32_t owner = kFolderUid) {
    const std::string path = path_of(number);
    fs::create_directory(path);
    EXPECT_EQ(chown(path.c_str(), owner, owner), 0);
    EXPECT_EQ(chmod(path.c_str(), 0770), 0);
    return {volume_, name_of(number), target};
  }
  KernelSpec script(const std::string& text, std::vector<FolderMount> mounts) {
    KernelSpec asked = waiting_spec();
    asked.command = {"sh", "-c", "exec 2>&1; cd /home/work; " + text};
    asked.mounts = std::move(mounts);
    return asked;
  }
  // What it prints.
  std::string run(const std::string& text, std::vector<FolderMount> mounts) {
    const KernelKey key = start(script(text, std::move(mounts)));
    end_ = await_end(key);
    return log(key) + end_.error.message;
  }
  bool is_root() const { return rig_->rootfs() == TestImage::get().rootfs_as_root; }
  static std::uint32_t owner(const std::string& path) {
    struct stat info {};
    return lstat(path.c_str(), &info) == 0 ? info.st_uid : 0;
  }
  // Mounts of our volumes that any process of the machine sees.
  std::size_t mounts_seen() const {
    std::size_t seen = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
      std::istringstream lines(shim::read_file(entry.path().string() + "/mountinfo").value_or(""));
      for (std::string line; std::getline(lines, line);)
        seen += line.find(fs::path(volume_).filename().string()) != std::string::npos ? 1 : 0;
    }
    return seen;
  }
  void await_no_mounts() {
    for (int i = 0; i < 2000 && mounts_seen() > 0; ++i) rig_->step(*backend_);
    EXPECT_EQ(mounts_seen(), 0u);
  }
  // An image like ours but for its /home, which `make` makes.
  std::string image_with(const std::function<void(const std::string& root)>& make) {
    if (changed_.empty()) {
      const std::string beside = make_temporary(TestImage::get().folder + "/changed-XXXXXX");
      changed_ = beside + "/rootfs";
      // The same files, without a copy of them.
      EXPECT_EQ(system(("cp -al '" + TestImage::get().image.rootfs + "' '" + changed_ + "'").c_str()), 0);
      fs::copy_file(fs::path(rig_->rootfs()).parent_path() / "image.json", beside + "/image.json");
    }
    fs::remove_all(changed_ + "/home");
    make(changed_);
    return changed_;
  }
  KernelEvent end_in(const std::string& rootfs, const KernelSpec& asked) {
    started_.push_back(asked.key);
    backend_->start(asked, rootfs);
    return await_end(asked.key);
  }

  // Kills what the launcher has begun, also before that has written a record.
  void kill_shims() {
    const std::string& data = static_cast<RealRig&>(*rig_).folder();
    for (const pid_t launcher : children_of("thread-self")) {
      const std::string process = std::to_string(launcher);
      if (shim::read_file("/proc/" + process + "/cmdline").value_or("").find(data) == std::string::npos)
        continue;
      for (const pid_t child : children_of(process))
        if (shim::read_file("/proc/" + std::to_string(child) + "/comm") == "berth-shim\n")
          kill(child, SIGKILL);
    }
  }

  std::string volume_, changed_;
  std::vector<std::string> temporary_;
  KernelEvent end_;
};

TEST_P(Folders, BelongOnDiskToTheirRangeAndOutliveTheKernel) {
  const KernelKey key = start(
      script("id -u; echo kept > data/file; mkdir data/sub; stat -c %u data/file", {folder(1, "data")}));
  EXPECT_EQ(await_end(key).exit_code, 0);
  const std::uint32_t user = is_root() ? 0 : 1000;
  const std::string id = std::to_string(user) + "\n";
  EXPECT_EQ(log(key), id + id);
  end_and_forget(key);
  EXPECT_EQ(owner(path_of(1) + "/file"), kDiskBase + user);
  EXPECT_EQ(owner(path_of(1) + "/sub"), kDiskBase + user);
  EXPECT_EQ(shim::read_file(path_of(1) + "/file"), "kept\n");
  EXPECT_EQ(run("cat data/file", {folder(1, "data")}), "kept\n");
}

TEST_P(Folders, FilesOfTheHostInAFolderAreNobodysInAKernel) {
  const FolderMount data = folder(1, "data");
  std::ofstream(path_of(1) + "/hosts") << "secret\n";
  EXPECT_EQ(chmod((path_of(1) + "/hosts").c_str(), 0600), 0);
  const std::string text =
      run("stat -c %u data/hosts; cat data/hosts; chown 0 data/hosts || echo kept; true", {data});
  EXPECT_TRUE(text.starts_with("65534\n")) << text;
  EXPECT_EQ(text.find("secret"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("kept\n")) << text;
  EXPECT_EQ(owner(path_of(1) + "/hosts"), 0u);
}

TEST_P(Folders, GiveNoRightsByTheirFilesAndHaveNoDevices) {
  const FolderMount data = folder(1, "data");
  const std::string device = path_of(1) + "/null";
  ASSERT_EQ(mknod(device.c_str(), S_IFCHR | 0666, makedev(1, 3)), 0);
  ASSERT_EQ(chown(device.c_str(), kFolderUid, kFolderUid), 0);
  ASSERT_EQ(chmod(device.c_str(), 0666), 0);
  const std::string text =
      run("while read a b c d point options rest; do [ $point = /home/work/data ] && echo $options; done "
          "</proc/self/mountinfo; cat data/null || echo refused",
          {data});
  EXPECT_TRUE(text.starts_with("rw,nosuid,nodev")) << text;
  EXPECT_NE(text.find("idmapped"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("Permission denied\nrefused\n")) << text;
}

TEST_P(Folders, ThatAreReadOnlyRefuseEveryWrite) {
  FolderMount data = folder(1, "data");
  data.read_only = true;
  std::ofstream(path_of(1) + "/file") << "kept\n";
  ASSERT_EQ(chown((path_of(1) + "/file").c_str(), kFolderUid, kFolderUid), 0);
  const std::string text = run("cat data/file; touch data/new; rm data/file; echo x > data/file", {data});
  EXPECT_TRUE(text.starts_with("kept\n")) << text;
  std::size_t refused = 0;
  for (std::size_t at = 0; (at = text.find("Read-only file system", at)) != std::string::npos; ++at)
    ++refused;
  EXPECT_EQ(refused, 3u) << text;
  EXPECT_EQ(shim::read_file(path_of(1) + "/file"), "kept\n");
}

TEST_P(Folders, OfTwoKernelsAreTheSame) {
  const FolderMount data = folder(1, "data");
  const KernelKey one = start(script("mkfifo data/pipe; echo ready; cat data/pipe", {data}));
  await_log(one, "ready");
  EXPECT_EQ(run("echo from the other > data/pipe", {data}), "");
  EXPECT_EQ(await_end(one).exit_code, 0);
  EXPECT_EQ(log(one), "ready\nfrom the other\n");
}

TEST_P(Folders, LieInAHomeThatIsStillTheKernelsOwn) {
  const std::string text =
      run("touch beside && ls; stat -c %a:%U . data; df --output=target data | tail -1", {folder(1, "data")});
  EXPECT_EQ(text, "beside\ndata\n755:work\n770:work\n/home/work/data\n");
}

TEST_P(Folders, SixteenAreMountedAndNotOneMore) {
  std::vector<FolderMount> mounts;
  for (int i = 0; i < 16; ++i) mounts.push_back(folder(i, "f" + std::to_string(i)));
  EXPECT_EQ(run("for i in $(seq 0 15); do echo $i > f$i/file; done; cat f*/file | sort -n | "
                "tail -1",
                mounts),
            "15\n");
  EXPECT_EQ(shim::read_file(path_of(7) + "/file"), "7\n");
  mounts.push_back(folder(16, "f16"));
  run("true", mounts);
  EXPECT_EQ(end_.end, KernelEnd::kStartFailed);
  EXPECT_EQ(end_.error.code, "folder-not-mountable");
}

TEST_P(Folders, ThatAreNotThereFailTheStartByTheirTarget) {
  const FolderMount absent{volume_, name_of(7), "data"};
  const std::string text = run("true", {absent});
  EXPECT_EQ(end_.end, KernelEnd::kStartFailed);
  EXPECT_EQ(end_.error.code, "folder-missing");
  EXPECT_NE(text.find("/home/work/data"), std::string::npos) << text;
  run("true", {{volume_ + "-gone", name_of(7), "data"}});
  EXPECT_EQ(end_.error.code, "folder-missing");
}

TEST_P(Folders, AnAutomaticOneIsMadeWhereItIsNotThereYet) {
  fs::create_directory(volume_ + "/staging");
  FolderMount own{volume_, name_of(3), kAutomaticTarget};
  own.automatic = true;
  EXPECT_EQ(run("echo kept > .automatic/file; stat -c %a:%u .automatic", {own}), "770:1000\n");
  EXPECT_EQ(owner(path_of(3)), kFolderUid);
  EXPECT_TRUE(fs::is_empty(volume_ + "/staging"));
  EXPECT_EQ(run("cat .automatic/file", {own}), "kept\n");
}

TEST_P(Folders, AnAutomaticOneThatCannotBeMountedIsLeftOutAndTheOutputSaysWhy) {
  FolderMount own{volume_ + "-gone", name_of(3), kAutomaticTarget};
  own.automatic = true;
  const std::string text = run("cat data/file; test -e .automatic || echo none", {own, folder(1, "data")});
  EXPECT_EQ(end_.end, KernelEnd::kExited);
  EXPECT_TRUE(text.starts_with("berth: without the automatic folder: ")) << text;
  EXPECT_TRUE(text.ends_with("none\n")) << text;
  KernelSpec asked = waiting_spec();
  asked.command = {"sh", "-c", "echo runs"};
  own.volume_root = volume_;
  fs::create_directory(volume_ + "/staging");
  asked.mounts = {own};
  const auto link_home = [](const std::string& root) {
    fs::create_directory_symlink("/tmp", root + "/home");
  };
  EXPECT_EQ(end_in(image_with(link_home), asked).end, KernelEnd::kExited);
  own.target = "data";
  run("true", {own});
  EXPECT_EQ(end_.error.code, "folder-not-mountable");
}

TEST_P(Folders, AreReachedThroughNoLink) {
  fs::create_directory_symlink("/etc", path_of(1));
  const std::string outside = make_temporary("/var/tmp/berth-volume-XXXXXX");
  fs::create_directories(outside + "/" + name_of(2));
  fs::rename(volume_ + "/folders", volume_ + "/real");
  fs::create_directory_symlink(outside, volume_ + "/folders");
  for (const int number : {2, 1}) {
    const std::string text = run("ls data", {{volume_, name_of(number), "data"}});
    EXPECT_EQ(end_.end, KernelEnd::kStartFailed) << text;
    EXPECT_EQ(end_.error.code, "folder-not-mountable");
    EXPECT_NE(text.find("a link lies there"), std::string::npos) << text;
    if (number == 1) break;
    fs::remove(volume_ + "/folders");
    fs::rename(volume_ + "/real", volume_ + "/folders");
  }
}

TEST_P(Folders, ThatAreFilesAndPathsThatAreNoneAreRefused) {
  std::ofstream(path_of(1)) << "a file\n";
  const FolderMount wrong[] = {
      {volume_, name_of(1), "data"}, {volume_, "../folders/" + name_of(1).substr(11), "data"},
      {volume_, name_of(1), ".."},   {volume_, name_of(1), "a/b"},
      {volume_, name_of(1), ""},     {"relative", name_of(1), "data"}};
  for (const FolderMount& mount : wrong) {
    run("true", {mount});
    EXPECT_EQ(end_.end, KernelEnd::kStartFailed);
    EXPECT_EQ(end_.error.code, "folder-not-mountable") << mount.target;
  }
  run("true", {folder(2, "data"), folder(3, "data")});
  EXPECT_EQ(end_.error.code, "folder-not-mountable") << "two at one place";
}

// The overlay stands in such a folder, in the shim's own namespace.
TEST_P(Folders, OfAVolumeBelowMntAreFoundToo) {
  make_volume("/mnt");
  EXPECT_EQ(run("echo kept > data/file; cat data/file", {folder(1, "data")}), "kept\n");
  EXPECT_EQ(shim::read_file(path_of(1) + "/file"), "kept\n");
}

TEST_P(Folders, OfAVolumeWithoutIdmapsBelongToTheKernelsIds) {
  const std::uint32_t base = BackendConfig().id_base;
  FolderMount data = folder(1, "data", base + 1000);
  data.shared_ids = true;
  const std::string user = run("touch data/file; id -u", {data});
  EXPECT_EQ(owner(path_of(1) + "/file"), base + std::stoul(user));
}

struct Trap {
  const char* name;
  std::function<void(const std::string& root)> set;
};

TEST_P(Folders, AreLedNowhereByAnImage) {
  const auto link = [](const std::string& to, const std::string& at) {
    return [=](const std::string& root) {
      fs::create_directories(fs::path(root + at).parent_path());
      fs::remove_all(root + at);
      fs::create_symlink(to, root + at);
    };
  };
  const Trap traps[] = {{"home is the root", link("/", "/home")},
                        {"home leads out", link("../../../../../../../../tmp", "/home")},
                        {"work is a folder of the system", link("/etc", "/home/work")},
                        {"work leads out", link("../../../../../../../../etc", "/home/work")},
                        {"the place is a folder of the system", link("/etc", "/home/work/data")},
                        {"the place leads out", link("../../../../../../../../../../etc", "/home/work/data")},
                        {"the place is the folder of a process", link("/proc/self/root", "/home/work/data")},
                        {"the place is a link to nothing", link("nothing", "/home/work/data")},
                        {"the place is a file", [](const std::string& root) {
                           fs::create_directories(root + "/home/work");
                           std::ofstream(root + "/home/work/data") << "x";
                         }}};
  const std::string before = shim::read_file("/proc/self/mountinfo").value_or("");
  for (const Trap& trap : traps) {
    const KernelEvent end = end_in(image_with(trap.set), script("true", {folder(1, "data")}));
    EXPECT_EQ(end.end, KernelEnd::kStartFailed) << trap.name;
    EXPECT_EQ(end.error.code, "folder-not-mountable") << trap.name;
    EXPECT_NE(end.error.message.find("/home/work"), std::string::npos) << end.error.message;
  }
  EXPECT_EQ(shim::read_file("/proc/self/mountinfo"), before);
  await_no_mounts();
}

TEST_P(Folders, ArePlacedWhereAnImageHasNoHomeAndOverWhatItHasThere) {
  KernelSpec asked =
      script("touch own; stat -c %U:%a . ..; ls data; echo x > data/file", {folder(1, "data")});
  EXPECT_EQ(end_in(image_with([](const std::string&) {}), asked).exit_code, 0) << log(asked.key);
  const std::string user = is_root() ? "root" : "work";
  EXPECT_TRUE(log(asked.key).ends_with(user + ":755\nroot:755\n")) << log(asked.key);
  EXPECT_EQ(shim::read_file(path_of(1) + "/file"), "x\n");
  asked = script("ls /home/work/data", {folder(1, "data")});
  end_in(
      image_with([](const std::string& root) { fs::create_directories(root + "/home/work/data/of-image"); }),
      asked);
  EXPECT_TRUE(log(asked.key).ends_with("file\n")) << log(asked.key);
}

TEST_P(Folders, LeaveNoMountBehindWhoeverIsKilled) {
  const FolderMount data = folder(1, "data");
  std::ofstream(path_of(1) + "/file") << "kept\n";
  ASSERT_EQ(mounts_seen(), 0u);
  const std::function<void(const KernelKey&)> deaths[] = {
      [](const KernelKey&) {}, [&](const KernelKey& key) { rig_->kill_shim(key); },
      [&](const KernelKey&) { rig_->kill_launcher(); }, [&](const KernelKey&) { reopen(); },
      [&](const KernelKey& key) {
        rig_->kill_launcher();
        rig_->kill_shim(key);
        reopen();
      }};
  for (const auto& die : deaths) {
    const KernelKey key = start(script("echo ready; sleep 300", {data}));
    await_log(key, "ready");
    EXPECT_GT(mounts_seen(), 0u);
    die(key);
    backend_->stop(key, 0);
    await_end(key);
    await_no_mounts();
    end_and_forget(key);
    EXPECT_EQ(shim::read_file(path_of(1) + "/file"), "kept\n");
  }
}

// From before its first step to after its last one.
TEST_P(Folders, LeaveNoMountBehindWhereTheShimDiesAtAnyMomentOfTheStart) {
  const FolderMount data = folder(1, "data");
  for (int delay = 0; delay < 24; delay += 2) {
    const KernelKey key = start(script("true", {data, folder(2, "two")}));
    const std::string lock = static_cast<RealRig&>(*rig_).fast() + "/kernels/" + kernel_name(key) + "/lock";
    for (int i = 0; i < 2000 && !fs::exists(lock); ++i) usleep(500);
    usleep(static_cast<useconds_t>(delay * 1000));
    kill_shims();
    await_end(key);
    await_no_mounts();
  }
}

INSTANTIATE_TEST_SUITE_P(Oci, Folders,
                         testing::Values(RigFactory([] { return std::make_unique<OciRig>(); }),
                                         RigFactory([] { return std::make_unique<OciRootRig>(); })));

TEST(TakesIdmaps, TellsTheFileSystemsThatDo) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const std::vector<pid_t> before = children_of("thread-self");
  const Descriptor here(open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC));
  EXPECT_TRUE(takes_idmaps(here.get()).ok()) << to_string(takes_idmaps(here.get()).error());
  const Descriptor there(open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto refused = takes_idmaps(there.get());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, "no-idmaps");
  EXPECT_EQ(children_of("thread-self"), before) << "a child is left";
}

}  // namespace
}  // namespace berth::agents::contract
