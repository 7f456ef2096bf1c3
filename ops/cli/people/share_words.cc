#include "ops/cli/people/share_words.h"

namespace berth::cli {

void add_share_words(CLI::App* verb, const char* metavar, ShareWords& words) {
  verb->add_option(metavar, words.what, "Name or id")->required();
  verb->add_option("-u,--user", words.user, "With this person")->type_name("USER");
  verb->add_option("--project", words.project, "With the members of this project")->type_name("NAME");
}

Outcome<boost::json::object> share_body(const ShareWords& words) {
  if (words.user.empty() == words.project.empty())
    return usage_failure("with whom? --user USER or --project NAME, one of the two");
  boost::json::object body;
  if (!words.user.empty()) body["user"] = words.user;
  if (!words.project.empty()) body["project"] = words.project;
  return body;
}

}  // namespace berth::cli
