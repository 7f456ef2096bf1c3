// What the commands of users, projects, domains and key pairs share.
#pragma once

#include <functional>
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

// Where the API has what is called so.
using PathOf = std::function<Outcome<std::string>(Api&, const std::string& name)>;

// "show METAVAR", as print_facts() has it.
void add_show(Registry& registry, CLI::App* noun, const char* metavar, const char* about, const char* example,
              PathOf path_of, Listing (*listing)());

// "rm METAVAR" of what sessions may be of. With --end-sessions it waits until they have ended.
void add_removal_with_sessions(Registry& registry, CLI::App* noun, const char* metavar, const char* about,
                               const char* example, PathOf path_of);

}  // namespace berth::cli
