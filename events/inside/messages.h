// What the frames of a channel say, as values, with the bytes that they are. They are fields (fields.h).
//
//   agent                                   helper
//   Request exec            ------------>
//   kIn, kInEnd, Size       ------------>
//                           <------------   Begun, then kOut, kErr, at the end Ended
//   Request shell           ------------>
//   kIn, Size               ------------>
//                           <------------   Begun, then kOut, kLost, at the end Ended
//   Request shells          ------------>
//                           <------------   Begun, a ShellEntry each, Ended
//   Request shell-end       ------------>
//                           <------------   Begun, Ended
//   Request pack            ------------>
//                           <------------   Begun, then a tar stream as kOut, kErr, Ended
//   Request unpack          ------------>
//                           <------------   Begun
//   a tar stream as kIn, kInEnd ------->
//                           <------------   kErr, Ended
//   Request connect         ------------>
//                           <------------   Begun, with it the connected socket (SCM_RIGHTS), Ended
//   Request app             ------------>
//                           <------------   Begun, an AppEntry at each change of state, kOut, kLost, Ended
//   Request apps            ------------>
//                           <------------   Begun, an AppEntry each, Ended
//   Request app-end         ------------>
//                           <------------   Begun, when the app is gone Ended, which says how
//   Request egress          ------------>
//                           <------------   Begun, then kConnection each time that a program connects, with
//                                           it the accepted socket (SCM_RIGHTS)
//   Request losses          ------------>
//                           <------------   Begun, a LossSum, a LossEntry each, Ended
//
// kErr of pack and unpack are lines for people, each names what was left out; then the code of Ended is 1.
// No answer but those of connect and egress may bring a descriptor.
// Instead of any answer comes a Problem; it is the last frame, as Ended is.
// The decoders take any bytes. Standard library only: berth-init links it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::inside {

inline constexpr std::size_t kArgumentsMax = 128 << 10;  // bytes of the arguments and variables of a program
inline constexpr std::size_t kRequestMax = 512 << 10;    // bytes of a request, as sent
inline constexpr std::size_t kNameMax = 64;              // bytes of a shell's or app's name
inline constexpr std::size_t kAppLogMax = 256 << 10;     // bytes that are kept of what an app printed
inline constexpr std::size_t kAppTailMax = 1024;         // bytes of AppEntry::log
inline constexpr std::size_t kPathMax = 4096;            // bytes of a path that is packed or unpacked
inline constexpr std::size_t kSocketMax = 107;           // bytes of the path of an app's Unix socket
inline constexpr std::size_t kTokenSize = 48;            // characters of an app's token, each one of 0-9a-f
inline constexpr std::size_t kLossesNamedMax = 20;       // files of LossSum that are named
inline constexpr std::size_t kLossPathMax = 1024;        // bytes of LossEntry::path
// Of each number in LossSum and LossEntry: what a program in any language reads exactly.
inline constexpr std::uint64_t kLossNumberMax = (std::uint64_t{1} << 53) - 1;

// Code (kebab-case), one sentence for people.
struct Problem {
  std::string code;
  std::string message;
};

struct Size {
  std::uint16_t columns = 80;
  std::uint16_t rows = 24;
};

struct Request {
  enum class What : std::uint8_t {
    kExec,      // runs a program as long as the channel is open
    kShell,     // makes the shell of this name, or attaches to it
    kShells,    // lists the shells
    kShellEnd,  // ends the shell of this name and what runs in it
    kPack,      // sends the file or folder at `path` as a tar stream (events/copy/files/pack.h)
    kUnpack,    // makes files and folders at `path` of a tar stream (events/copy/files/unpack.h)
    kConnect,   // gives a socket connected to a port, or to where the app of this name listens
    kApp,       // starts the app of this name unless it runs; shows its state and what it prints. It runs on
                // when the channel closes
    kApps,      // lists the apps that were started
    kAppEnd,    // ends the app of this name: SIGTERM, 5 s later SIGKILL, to it and what it started
    // Listens on `port` of 127.0.0.1 and passes out who connects, as long as the channel is open.
    kEgress,
    // Counts the files that end with the kernel and were changed since its start, and names some of them.
    kLosses,
  };
  What what = What::kExec;
  std::string name;               // of the shell or app: letters, digits, "-", "_", "."
  bool existing = false;          // kShell, kApp: only attach; an app that has ended shows how it ended
  std::vector<std::string> args;  // kShell: empty is the image's shell
  std::vector<std::string> env;   // "NAME=value", besides the kernel's own
  std::string cwd;                // empty: a shell's is HOME, a program's that of the kernel's own program
  std::string path;               // kPack, kUnpack: absolute, or relative to HOME, which if it cannot be
                                  // entered is the folder of the kernel's own program
  bool terminal = false;          // kExec
  Size size;
  // kConnect: of 127.0.0.1, or of ::1 if nobody listens there; 0: the app's. kApp: where it listens; 0: on a
  // Unix socket.
  std::uint16_t port = 0;
  std::string socket;  // kApp without a port: the absolute path of its Unix socket; empty: app_socket(name)
  // kApp: the variable in which the program finds the token of this start; empty: it has none.
  std::string token_variable;
};

// Where an app listens that has no port and whose socket is not named. The program finds the path of its
// socket in its variable BERTH_APP_SOCKET (an app with a port: BERTH_APP_PORT), and the folder is there.
std::string app_socket(std::string_view name);
// Ports of Berth's own, which no app declares.
bool is_port_of_berth(std::uint16_t port);
// The one on which a kernel with egress has its proxy.
inline constexpr std::uint16_t kEgressPort = 2001;

struct Begun {
  // kShell, kApp: so many of the bytes that come (also as lost) were printed before
  std::uint64_t scrollback = 0;
  std::uint64_t lost = 0;      // bytes printed before those, which are gone
  bool made = false;           // it is new
  std::uint32_t restarts = 0;  // helpers of this kernel that died, and all shells with them
  // kConnect by name: of the app's start, kTokenSize characters. Whoever shows it is let in by the app, so it
  // goes to the agent and the API server alone.
  std::string token = {};
};

struct ShellEntry {
  std::string name;
  std::string command;
  std::int64_t started_at = 0;  // wall clock, ns
  std::uint32_t clients = 0;
};

enum class AppState : std::uint8_t {
  kStarting,  // nobody listens yet where the app is to listen
  kReady,
  kEnded,
};

struct AppEntry {
  std::string name;
  AppState state = AppState::kStarting;
  std::uint16_t port = 0;       // 0: it listens on a Unix socket
  std::int64_t started_at = 0;  // wall clock, ns
  std::uint32_t restarts = 0;   // starts before this one
  int code = 0, signal = 0;     // kEnded: as in Ended
  std::string log;              // kApps: the newest of what it printed
};

// The regular files outside folders that were changed since the kernel's start, each counted once.
struct LossSum {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;  // that they take of the disk, but no more than their lengths
  bool complete = true;     // false: there may be more, the look at them was cut short
};

// One of those files. They come in the order in which people look for them: those of the home first, of these
// those below no hidden folder, then the newest.
struct LossEntry {
  std::string path;  // absolute, or relative to the folder in which the kernel works; any bytes but zero
  std::uint64_t bytes = 0;
};

struct Ended {
  int code = 0;    // exit code; 128 + signal
  int signal = 0;  // 0: it exited
};

// Whether a helper would take the request. Codes: arguments-missing, arguments-too-long, name-wrong,
// port-refused, path-wrong, size-wrong, socket-wrong, variable-wrong, request-damaged.
std::optional<Problem> check(const Request& request);
std::string encode(const Request& request);
// The frames that say it. False: it has more than kRequestMax bytes, and nothing was appended.
bool append_request(std::string& out, const Request& request);
// Codes: those of check(), request-damaged, unknown-request.
std::optional<Problem> decode(std::string_view bytes, Request& request);

std::string encode(const Size& size);
std::string encode(const Begun& begun);
std::string encode(const ShellEntry& entry);
std::string encode(const AppEntry& entry);
std::string encode(const LossSum& sum);
std::string encode(const LossEntry& entry);
std::string encode(const Ended& ended);
std::string encode(const Problem& problem);
std::string encode_lost(std::uint64_t bytes);
// nullopt if damaged.
std::optional<Size> decode_size(std::string_view bytes);
std::optional<Begun> decode_begun(std::string_view bytes);
std::optional<ShellEntry> decode_shell(std::string_view bytes);
std::optional<AppEntry> decode_app(std::string_view bytes);
std::optional<LossSum> decode_loss_sum(std::string_view bytes);
std::optional<LossEntry> decode_loss(std::string_view bytes);
std::optional<Ended> decode_ended(std::string_view bytes);
std::optional<Problem> decode_problem(std::string_view bytes);
std::optional<std::uint64_t> decode_lost(std::string_view bytes);

}  // namespace berth::inside
