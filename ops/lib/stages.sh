# Stages of ops/check: each runs with its output in a file, prints one line with its time, and never stops the rest.
# Results go to build/check/stages.tsv (name, kind, exit code, seconds), which summary.py adds up.
CHECK="$ROOT/build/check"

# Says on stderr where a long stage is: rewritten each second on a terminal, a line a minute in a log.
stage_ticker() {
  local title="$1" log="$2" start="$SECONDS" where pause=60 never
  [ ! -t 2 ] || pause=1
  exec {never}<> <(:)  # waiting on it, not by `sleep`, leaves no child that outlives this one and holds stderr open
  while ! read -r -t "$pause" -u "$never"; do
    where="$(tail -c 2000 "$log" 2>/dev/null | tr '\r' '\n' | grep -aoE '^ *\[[0-9]+/[0-9]+\]|^ *[0-9]+/[0-9]+ ' | tail -n 1 | tr -d ' ' || true)"
    if [ -t 2 ]; then
      printf '\r\033[K  .... %s %s %d s' "$title" "$where" $((SECONDS - start)) >&2
    else
      printf '  .... %s %s %d s\n' "$title" "$where" $((SECONDS - start)) >&2
    fi
  done
}

stage_stop() {
  if [ -n "${ticker:-}" ]; then
    kill "$ticker" 2>/dev/null || true
    wait "$ticker" 2>/dev/null || true
  fi
  ticker=
  [ ! -t 2 ] || printf '\r\033[K' >&2
}

# stage NAME KIND TITLE COMMAND...: KIND is `tests` (its results are counted from XML), `one` (counts as one test) or
# `step` (counts only when it fails).
stage() {
  local name="$1" kind="$2" title="$3" log="$CHECK/$1.log" code=0 begin end
  shift 3
  begin="$(date +%s%N)"
  : >"$log"
  stage_ticker "$title" "$log" 9>&- &
  ticker=$!
  ("$@") >"$log" 2>&1 9>&- </dev/null || code=$?  # 9: the lock of ops/check is not for what a stage leaves running
  stage_stop
  end="$(date +%s%N)"
  local tenths=$(((end - begin) / 100000000))
  local seconds="$((tenths / 10)).$((tenths % 10))"
  printf '%s\t%s\t%d\t%s\n' "$name" "$kind" "$code" "$seconds" >>"$CHECK/stages.tsv"
  if [ "$code" = 0 ]; then
    printf '  ok   %-60s %8s s\n' "$title" "$seconds"
    [ "$kind" != tests ] || slowest_tests "$CHECK/$name.junit.xml"
  else
    printf '  FAIL %-60s %8s s  (build/check/%s.log)\n' "$title" "$seconds" "$name"
    stage_excerpt "$kind" "$log" | cut -c 1-300 | sed 's/^/       | /'
  fi
  return 0
}

# A line with the ten tests of ctest's junit file that took longest; no line where every test took less than a second.
slowest_tests() {
  [ -f "$1" ] || return 0
  grep -oE '<testcase name="[^"]+"[^>]* time="[0-9]+' "$1" | sed -E 's/^<testcase name="([^"]+)".* time="([0-9]+)/\2 \1/' |
    sort -rn | awk '$1 > 0 && ++count <= 10 { text = text (text == "" ? "" : ", ") $2 " " $1 " s" } END { if (text != "") print "       slowest: " text }' || true
}

# What a reader of the summary needs of a failed stage's output: of tests which failed and what they said, else the end.
# Every program here reads its input to the end: under `pipefail` one that stops early (head, grep -q) fails the pipe.
stage_excerpt() {
  local failures=""
  if [ "$1" = tests ]; then
    failures="$(grep -aE '^ *[0-9]+/[0-9]+ Test .*(Failed|Timeout|Not Run|Exception|\*\*\*)|^\[  FAILED  \]|: Failure$|^(FAIL|ERROR): |^[A-Za-z.]*Error: |^ *NO ' "$2" |
      awk '!seen[$0]++ && ++count <= 30' || true)"
  fi
  if [ -n "$failures" ]; then printf '%s\n' "$failures"; else tail -n 12 "$2"; fi
}

configure_and_build() {  # PRESET [TARGET...]: goes on after an error, so that what can be tested is
  local preset="$1"
  shift
  cmake --preset "$preset" || return 1
  local targets=()
  [ $# = 0 ] || targets=(--target "$@")
  cmake --build --preset "$preset" -j "$(build_jobs)" "${targets[@]}" -- -k 0 && no_warnings "$preset" "${@:-all}"
}

# no_warnings PRESET TARGET...: fails where the compiler warned of a file in these, whoever had it compiled: ops/cmake/compile keeps its words.
no_warnings() {
  local preset="$1" object warned=0
  shift
  while IFS= read -r object; do
    [ -s "build/$preset/$object.warnings" ] || continue
    cat "build/$preset/$object.warnings"
    warned=$((warned + 1))
  done < <(ninja -C "build/$preset" -t inputs "$@" 2>/dev/null | grep '\.o$' | sort -u)
  [ "$warned" = 0 ] || { echo "the compiler warns in $warned files: ops/check takes no warnings"; return 1; }
}

# begin_ahead PRESET[:TARGET]...: builds them, one after the other, beside what runs meanwhile, by what processor time the rest leaves;
# end_ahead stops that, and what is missing is built by whoever wants it.
ahead=
begin_ahead() {
  : >"$CHECK/ahead.log"
  (exec setsid nice -n 19 bash "$ROOT/ops/lib/build_ahead" "$@") >>"$CHECK/ahead.log" 2>&1 9>&- </dev/null &
  ahead=$!
}
end_ahead() {
  if [ -n "$ahead" ]; then
    kill "$ahead" 2>/dev/null || true  # all may be built long since
    wait "$ahead" 2>/dev/null || true
  fi
  ahead=
}

build_labelled() {  # PRESET LABEL: only the tests with this label
  local preset="$1" label="$2"
  cmake --preset "$preset" || return 1
  ninja -C "build/$preset" -t query "tests-$label" >/dev/null 2>&1 || {
    echo "no test of the preset $preset has the label $label: see LABELS in the CMakeLists.txt of tests/"
    return 1
  }
  cmake --build --preset "$preset" -j "$(build_jobs)" --target "tests-$label" -- -k 0 && no_warnings "$preset" "tests-$label"
}

# run_ctest NAME PRESET CTEST-OPTIONS...
run_ctest() {
  local name="$1" preset="$2"
  shift 2
  [ -f "build/$preset/CTestTestfile.cmake" ] || cmake --preset "$preset" || return 1
  ctest --test-dir "build/$preset" --output-junit "$CHECK/$name.junit.xml" --output-on-failure --no-tests=error "$@"
}
