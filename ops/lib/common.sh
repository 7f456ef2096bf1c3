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

# without_descriptors KEEP COMMAND...: COMMAND in this one's place, with no descriptor but 0 to KEEP, whatever its callers hold open. Who
# wants to go on calls it in a subshell. mmdebstrap's children need it: apt tells dash to write to the next free descriptor, and dash
# understands one digit.
without_descriptors() {
  local keep="$1" descriptor
  shift
  for descriptor in "/proc/$BASHPID/fd/"*; do
    descriptor="${descriptor##*/}"
    [ "$descriptor" -le "$keep" ] || [ "$descriptor" = 255 ] || eval "exec $descriptor>&-"  # 255: of bash, and its alone
  done
  exec "$@"
}

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

# The compiler cache is the user's: a second clone compiles what differs. Paths in what is compiled are told from the tree's root
# (-ffile-prefix-map), so that the folder of a clone is no difference.
use_ccache() {
  export CCACHE_DIR="${CCACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-$ROOT/build}/.cache}/ccache}"
  export CCACHE_NOHASHDIR=1
  export CCACHE_MAXSIZE="${CCACHE_MAXSIZE:-5G}"
  export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-time_macros,include_file_mtime,include_file_ctime}"
  export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$ROOT}"
}
