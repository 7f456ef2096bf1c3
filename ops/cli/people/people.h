// What the commands of users, projects, domains and key pairs share.
#pragma once

#include <string>

#include "ops/cli/command/registry.h"

namespace berth::cli {

Listing user_listing();
Listing project_listing();
Listing domain_listing();
Listing key_listing();

// "NAME (admin), NAME" of an array of objects that have `key` and maybe `admin`.
std::string with_admins(const boost::json::value& list, const char* key);

// One thing: a table has a line for each column, other formats are those of print_one().
std::string print_facts(const boost::json::value& item, const Listing& listing, const Style& style);

// Prints what the reply says that `member` is now.
Outcome<int> print_changed(Shell& shell, const Outcome<ApiReply>& reply, const char* member,
                           const Listing& listing);

// "--reason TEXT"
void add_reason_option(CLI::App* verb, std::string& reason);

// "rm" of what may have sessions.
struct RemovalOptions {
  std::string name, reason;
  bool end_sessions = false;
};
// --end-sessions and --reason, and the name.
void add_removal_options(CLI::App* rm, RemovalOptions& o, const char* metavar);
Outcome<int> remove_at(Shell& shell, Api& api, const std::string& path, const RemovalOptions& o);

}  // namespace berth::cli
