# What Berth needs of Debian 12, by what it is for. `ops/setup` installs it; CONTRIBUTING says how to add one.

# To compile the programs.
PACKAGES_build="g++ cmake ninja-build pkg-config ccache mold
  protobuf-compiler libprotobuf-dev librocksdb-dev librdkafka-dev
  libboost1.81-dev libboost-json1.81-dev libspdlog-dev libfmt-dev libcli11-dev libtomlplusplus-dev
  prometheus-cpp-dev libsodium-dev libssl-dev libnghttp2-dev libjemalloc-dev libedit-dev"

# To run kernels in containers and to make and fetch their images.
PACKAGES_runtime="runc skopeo umoci mmdebstrap mount e2fsprogs xz-utils ca-certificates procps python3 python3-pip"

# To run a real Apache Kafka (ops/kafka/start fetches the broker itself by Maven).
PACKAGES_kafka="openjdk-17-jre-headless maven"

# To run ops/check: test libraries, the second compiler, sanitizers' run-time, scripts, make for ops/policy-example, httpx for ops/python,
# Prometheus for the dashboards.
PACKAGES_check="libgtest-dev libgmock-dev librapidcheck-dev clang libclang-rt-14-dev clang-tidy clang-format make openssl python3 git jq curl
  python3-httpx python3-venv prometheus"

# To build the console, where no Node of 20.19 or newer is installed.
PACKAGES_console="python3-pip"

# To try the console in a browser.
PACKAGES_browser="chromium fonts-dejavu-core fonts-noto-cjk"

PACKAGE_GROUPS="build runtime kafka check console browser"

# packages_of GROUP...: every package of these groups, each once, one a line.
packages_of() {
  local group name
  for group in "$@"; do
    name="PACKAGES_$group"
    # shellcheck disable=SC2086  # the list is meant to be split
    printf '%s\n' ${!name}
  done | sort -u
}

# missing_packages NAME...: those that are not installed, one a line.
missing_packages() {
  local installed
  # shellcheck disable=SC2016  # a format of dpkg-query, not a variable
  installed="$(dpkg-query -W -f '${binary:Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    sed -n 's/:[a-z0-9]* installed$//p; s/ installed$//p' || true)"  # dpkg-query fails when it does not know a name
  local name
  for name in "$@"; do
    case $'\n'"$installed"$'\n' in
      *$'\n'"$name"$'\n'*) ;;
      *) printf '%s\n' "$name" ;;
    esac
  done
}
