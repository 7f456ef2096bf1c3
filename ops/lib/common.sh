# Shared by the set-up scripts: words on stderr, errors with a hint, timing. Source it; it sets ROOT and changes to it.
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PROGRAM="$(cd "$(dirname "$0")" && pwd)/$(basename "$0")"
PROGRAM="${PROGRAM#"$ROOT"/}"  # ops/setup, wherever it was called from
cd "$ROOT" || exit 1

say() { printf '%s\n' "$*" >&2; }

# die MESSAGE [HINT]: one clear line, what to do about it, and exit code 1 (EXIT_CODE to choose another).
die() {
  printf '%s: %s\n' "$PROGRAM" "$1" >&2
  [ -z "${2:-}" ] || printf '  %s\n' "$2" >&2
  exit "${EXIT_CODE:-1}"
}

usage_error() { EXIT_CODE=2 die "$1" "$PROGRAM --help shows what it takes"; }

have() { command -v "$1" >/dev/null 2>&1; }

# Prints the comment block at the top of the calling script, which is its manual.
print_manual() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$1"; }

# Jobs for the compiler: one a core, but not more than memory allows (a file with Beast takes nearly 2 GB with sanitizers).
build_jobs() {
  local cores gigabytes
  cores="$(nproc)"
  gigabytes="$(awk '/^MemAvailable:/ {print int($2 / 1048576)}' /proc/meminfo)"
  local by_memory=$((gigabytes / 2))
  [ "$by_memory" -ge 1 ] || by_memory=1
  [ "$cores" -le "$by_memory" ] && echo "$cores" || echo "$by_memory"
}

# The compiler cache lives in the tree unless the user has one: a second check of a changed tree compiles what changed.
use_ccache() {
  export CCACHE_DIR="${CCACHE_DIR:-$ROOT/build/ccache}"
  export CCACHE_MAXSIZE="${CCACHE_MAXSIZE:-5G}"
  export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-time_macros,include_file_mtime,include_file_ctime}"
  export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$ROOT}"
}
