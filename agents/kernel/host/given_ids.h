// Ids of this machine that somebody has: its users and groups, and ranges that users may give to their own
// containers (/etc/subuid, /etc/subgid). A kernel that ran as one of them could be ended, and its files read,
// by whoever has it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::agents {

struct GivenIds {
  std::uint64_t first = 0, last = 0;
  std::string whose;  // for people: "ann by /etc/subuid"
};

// "NAME:FIRST:COUNT" a line. A line that is none is passed over, here and below.
void read_subids(std::string_view text, const std::string& file, std::vector<GivenIds>& given);
// "NAME:x:ID:..." a line, of users or groups.
void read_users(std::string_view text, const std::string& file, std::vector<GivenIds>& given);
// Of this machine's files. Users of a directory service are in none of them.
std::vector<GivenIds> read_given_ids();

// Who has one of these; null: nobody.
const GivenIds* owner_among(const std::vector<GivenIds>& given, std::uint64_t first, std::uint64_t count);

}  // namespace berth::agents
