# What Berth needs of Debian 12 or 13, by what it is for. `ops/setup` installs it; CONTRIBUTING says how to add one. Where the
# two name a package differently, an entry has both names, `12's|13's`: one of them is enough, the first that apt has.

# To compile the programs. Python: CMake looks for it, for the tests that are scripts.
PACKAGES_build="g++ cmake ninja-build pkg-config ccache mold
  protobuf-compiler libprotobuf-dev librocksdb-dev librdkafka-dev
  libboost1.81-dev|libboost1.83-dev libboost-json1.81-dev|libboost-json1.83-dev libspdlog-dev libfmt-dev libcli11-dev libtomlplusplus-dev
  prometheus-cpp-dev libsodium-dev libssl-dev libnghttp2-dev libjemalloc-dev libedit-dev python3"

# To run kernels in containers and to make and fetch their images.
PACKAGES_runtime="runc skopeo umoci mmdebstrap mount e2fsprogs xz-utils ca-certificates procps python3 python3-pip"

# To run a real Apache Kafka (ops/kafka/start fetches the broker itself by Maven).
PACKAGES_kafka="openjdk-17-jre-headless|openjdk-21-jre-headless maven"

# To run ops/check: test libraries, the second compiler, sanitizers' run-time, scripts, make for ops/policy-example, httpx for ops/python,
# Prometheus for the dashboards, crun for tests of containers.
PACKAGES_check="libgtest-dev libgmock-dev librapidcheck-dev clang libclang-rt-14-dev|libclang-rt-19-dev clang-tidy clang-format make openssl
  python3 git jq curl python3-httpx python3-venv prometheus crun"

# To build the console, where no Node of 20.19 or newer is installed.
PACKAGES_console="python3-pip"

# To try the console in a browser.
PACKAGES_browser="chromium-headless-shell|chromium fonts-dejavu-core fonts-noto-cjk"

# ops/check --full tries it in the whole of Chromium.
PACKAGES_chromium="chromium"

# To run real machines (ops/vm): their disks, the machines, and a static shell for an image that unpacks in a moment.
PACKAGES_vm="qemu-system-x86 qemu-utils mmdebstrap e2fsprogs openssh-client busybox-static umoci"

# Of ops/setup without a name of a group; `vm` and `chromium` are asked for by name.
PACKAGE_GROUPS="build runtime kafka check console browser"

# packages_of GROUP...: every entry of these groups, each once, one a line.
packages_of() {
  local group name
  for group in "$@"; do
    name="PACKAGES_$group"
    # shellcheck disable=SC2086  # the list is meant to be split
    printf '%s\n' ${!name}
  done | sort -u
}

# installed_packages ENTRY...: the names of these entries that are installed, one a line.
installed_packages() {
  # shellcheck disable=SC2016,SC2086  # a format of dpkg-query, not a variable; names are meant to be split
  dpkg-query -W -f '${binary:Package} ${db:Status-Status}\n' ${*//|/ } 2>/dev/null |
    sed -n 's/:[a-z0-9]* installed$//p; s/ installed$//p' || true  # dpkg-query fails when it does not know a name
}

# missing_packages ENTRY...: those of which no name is installed, one a line.
missing_packages() {
  local installed entry name
  installed=$'\n'"$(installed_packages "$@")"$'\n'
  for entry in "$@"; do
    for name in ${entry//|/ }; do [[ $installed != *$'\n'"$name"$'\n'* ]] || continue 2; done
    printf '%s\n' "$entry"
  done
}

# chosen_packages ENTRY...: of each entry the name that is installed, else the first that apt can install, else the first.
chosen_packages() {
  local several=() entry name there=$'\n'
  for entry in "$@"; do [[ $entry != *'|'* ]] || several+=("$entry"); done
  if [ ${#several[@]} -gt 0 ]; then
    # shellcheck disable=SC2086  # names are meant to be split
    there+="$(installed_packages "${several[@]}"; LC_ALL=C apt-cache policy ${several[*]//|/ } 2>/dev/null |
      awk '/^[^ ].*:$/ { name = substr($0, 1, length($0) - 1) } $1 == "Candidate:" && $2 != "(none)" { print name }' || true)"$'\n'
  fi
  for entry in "$@"; do
    for name in ${entry//|/ }; do [[ $there != *$'\n'"$name"$'\n'* ]] || break; done
    [[ $there == *$'\n'"$name"$'\n'* ]] || name="${entry%%|*}"
    printf '%s\n' "$name"
  done
}
