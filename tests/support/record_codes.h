// Codes of records beside words, as code_text.h has it for those of the programs.
#pragma once

#include <string>

#include "events/codec/words/codes.h"

namespace berth::v1 {

inline bool operator==(Code code, const char* word) { return code_of(code).word() == word; }
inline bool operator==(Code code, const std::string& word) { return code_of(code).word() == word; }

}  // namespace berth::v1

namespace berth {

inline std::string word_of(v1::Code code) { return code_of(code).word(); }
// A word that the table lacks is unknown-code.
inline v1::Code record_code(std::string_view word) { return wire(Code::told(word)); }

}  // namespace berth
