#include "agents/kernel/seccomp.h"

#include <sys/socket.h>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <sstream>
#include <string>

namespace berth::agents {
namespace json = boost::json;
namespace {

// By what they are about. Names that a machine's library does not know are left out by the runtime.
constexpr const char* kFiles =
    "access alarm chdir chmod chown chown32 close close_range copy_file_range creat dup dup2 dup3 "
    "epoll_create epoll_create1 "
    "epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2 faccessat "
    "faccessat2 "
    "fadvise64 fadvise64_64 fallocate fanotify_mark fchdir fchmod fchmodat fchmodat2 fchown fchown32 "
    "fchownat fcntl fcntl64 "
    "fdatasync fgetxattr flistxattr flock fremovexattr fsetxattr fstat fstat64 fstatat64 fstatfs fstatfs64 "
    "fsync ftruncate "
    "ftruncate64 futimesat getcwd getdents getdents64 getxattr inotify_add_watch inotify_init inotify_init1 "
    "inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents io_pgetevents_time64 io_setup "
    "io_submit ioctl "
    "lchown lchown32 lgetxattr link linkat listxattr llistxattr _llseek lremovexattr lseek lsetxattr lstat "
    "lstat64 mkdir "
    "mkdirat mknod mknodat newfstatat _newselect open openat openat2 pipe pipe2 poll ppoll ppoll_time64 "
    "pread64 preadv "
    "preadv2 pselect6 pselect6_time64 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv "
    "removexattr rename "
    "renameat renameat2 rmdir select sendfile sendfile64 setxattr splice stat stat64 statfs statfs64 statx "
    "symlink "
    "symlinkat sync sync_file_range syncfs tee truncate truncate64 umask unlink unlinkat utime utimensat "
    "utimensat_time64 utimes vmsplice write writev name_to_handle_at";
constexpr const char* kMemory =
    "brk cachestat get_mempolicy madvise map_shadow_stack mbind membarrier memfd_create memfd_secret mincore "
    "mlock mlock2 "
    "mlockall mmap mmap2 move_pages mprotect mremap mseal msync munlock munlockall munmap pkey_alloc "
    "pkey_free pkey_mprotect "
    "process_madvise process_mrelease remap_file_pages set_mempolicy set_mempolicy_home_node";
constexpr const char* kProcesses =
    "arch_prctl capget capset chroot execve execveat exit exit_group fork futex futex_requeue futex_time64 "
    "futex_wait futex_waitv "
    "futex_wake get_robust_list get_thread_area getcpu getegid getegid32 geteuid geteuid32 getgid getgid32 "
    "getgroups "
    "getgroups32 getpgid getpgrp getpid getppid getpriority getresgid getresgid32 getresuid getresuid32 "
    "getrlimit getrusage "
    "getsid gettid getuid getuid32 ioprio_get ioprio_set kcmp kill landlock_add_rule landlock_create_ruleset "
    "landlock_restrict_self modify_ldt nanosleep pause pidfd_getfd pidfd_open pidfd_send_signal prctl "
    "prlimit64 "
    "process_vm_readv process_vm_writev ptrace restart_syscall rseq rt_sigaction rt_sigpending "
    "rt_sigprocmask rt_sigqueueinfo "
    "rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo "
    "sched_get_priority_max "
    "sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler "
    "sched_rr_get_interval "
    "sched_rr_get_interval_time64 sched_setaffinity sched_setattr sched_setparam sched_setscheduler "
    "sched_yield seccomp "
    "set_robust_list set_thread_area set_tid_address setfsgid setfsgid32 setfsuid setfsuid32 setgid setgid32 "
    "setgroups "
    "setgroups32 setpgid setpriority setregid setregid32 setresgid setresgid32 setresuid setresuid32 "
    "setreuid setreuid32 "
    "setrlimit setsid setuid setuid32 sigaltstack signalfd signalfd4 sigprocmask sigreturn sigsuspend "
    "sysinfo tgkill tkill "
    "ugetrlimit uname vfork wait4 waitid waitpid";
constexpr const char* kTime =
    "clock_adjtime clock_adjtime64 clock_getres clock_getres_time64 clock_gettime clock_gettime64 "
    "clock_nanosleep "
    "clock_nanosleep_time64 getitimer gettimeofday adjtimex setitimer time timer_create timer_delete "
    "timer_getoverrun "
    "timer_gettime timer_gettime64 timer_settime timer_settime64 timerfd_create timerfd_gettime "
    "timerfd_gettime64 "
    "timerfd_settime timerfd_settime64 times getrandom";
constexpr const char* kTalk =
    "accept accept4 bind connect getpeername getsockname getsockopt ipc listen mq_getsetattr mq_notify "
    "mq_open "
    "mq_timedreceive mq_timedreceive_time64 mq_timedsend mq_timedsend_time64 mq_unlink msgctl msgget msgrcv "
    "msgsnd recv "
    "recvfrom recvmmsg recvmmsg_time64 recvmsg semctl semget semop semtimedop semtimedop_time64 send "
    "sendmmsg sendmsg sendto "
    "setsockopt shmat shmctl shmdt shmget shutdown";

json::array words(const char* text) {
  json::array out;
  std::istringstream in(text);
  for (std::string word; in >> word;) out.emplace_back(word);
  return out;
}

json::object rule(const char* names) { return {{"names", words(names)}, {"action", "SCMP_ACT_ALLOW"}}; }

json::object allow_if(const char* name, std::uint64_t value, const char* op, std::uint64_t value_two = 0) {
  json::object condition{{"index", 0}, {"value", value}, {"op", op}};
  if (op == std::string("SCMP_CMP_MASKED_EQ")) condition["valueTwo"] = value_two;
  return {{"names", json::array{name}}, {"action", "SCMP_ACT_ALLOW"}, {"args", json::array{condition}}};
}

}  // namespace

json::object default_seccomp() {
  json::array rules{rule(kFiles), rule(kMemory), rule(kProcesses), rule(kTime), rule(kTalk)};
  // A clone that asks for no new namespace. clone3 hides its flags in memory, so programs are told that it
  // does not exist.
  constexpr std::uint64_t kNewNamespaces = 0x7E020000;
  rules.push_back(allow_if("clone", kNewNamespaces, "SCMP_CMP_MASKED_EQ", 0));
  rules.push_back(
      json::object{{"names", json::array{"clone3"}}, {"action", "SCMP_ACT_ERRNO"}, {"errnoRet", 38}});
  for (const std::uint64_t persona : {0x0ull, 0x8ull, 0x20000ull, 0x20008ull, 0xFFFFFFFFull})
    rules.push_back(allow_if("personality", persona, "SCMP_CMP_EQ"));
  // Other families reach past the network namespace (AF_VSOCK), or are seldom used code of the host.
  for (const std::uint64_t family : {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK})
    rules.push_back(allow_if("socket", family, "SCMP_CMP_EQ"));
  rules.push_back(allow_if("socketpair", AF_UNIX, "SCMP_CMP_EQ"));
  // The calls of the machine's own width alone: the others number them anew, and hide arguments in memory.
#if defined(__aarch64__)
  json::array architectures{"SCMP_ARCH_AARCH64"};
#else
  json::array architectures{"SCMP_ARCH_X86_64"};
#endif
  return {{"defaultAction", "SCMP_ACT_ERRNO"},
          {"defaultErrnoRet", 1},
          {"architectures", std::move(architectures)},
          {"syscalls", std::move(rules)}};
}

}  // namespace berth::agents
