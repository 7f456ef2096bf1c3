// What a process says when it cannot go on for want of a thread or of memory. For edges only; the lint keeps
// pure folders from including this header.
#pragma once

namespace berth {

// From now on such an end is one line on stderr and exit code 1, so that the process is started again; any
// other exception that nobody caught is said, and aborts as before. `program`: a literal.
void say_last_words(const char* program);

}  // namespace berth
