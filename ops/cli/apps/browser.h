// The person's browser.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace berth::cli {

using FindVariable = std::function<std::optional<std::string>(const char* name)>;

// The commands to try, in order: those of $BROWSER (parted by ':', "%s" stands for the URL), else xdg-open
// where there is a screen. Pure.
std::vector<std::vector<std::string>> browser_commands(const FindVariable& variable, const std::string& url);

// Starts the first of them that is there, without waiting for its end. False: there is none.
bool open_browser(const FindVariable& variable, const std::string& url);

}  // namespace berth::cli
