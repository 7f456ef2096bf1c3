# Root folders that hold a bare Debian (ops/bare, ops/lib/suite_build). Needs common.sh and apt.sh.

# fetch_system SUITE: the minimal system as build/bare/SUITE.tar, fetched once.
fetch_system() {
  local suite="$1" folder="$ROOT/build/bare" options
  mkdir -p "$folder"
  exec 8>"$folder/lock"
  flock 8
  if [ ! -f "$folder/$suite.tar" ]; then
    need_archive
    mapfile -t options < <(apt_settings | sed 's/^/--aptopt=/')
    say "$PROGRAM: fetching Debian $suite (once)"
    (without_descriptors 2 mmdebstrap --quiet --variant=minbase --include=git,ca-certificates "${options[@]}" \
      "$suite" "$folder/$suite.new.tar" "$(debian_archive)" >&2) || die "mmdebstrap could not fetch Debian $suite"
    mv "$folder/$suite.new.tar" "$folder/$suite.tar"
  fi
  exec 8>&-
}

# unpack_system SUITE FOLDER: that system in FOLDER, with this machine's sources of packages and its way to them.
unpack_system() {
  local suite="$1" root="$2" settings
  tar -C "$root" --numeric-owner --xattrs --xattrs-include='*' -xpf "$ROOT/build/bare/$suite.tar"
  debian_sources "$suite" >"$root/etc/apt/sources.list"
  apt_settings >"$root/etc/apt/apt.conf.d/90machine"
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  printf '127.0.0.1 localhost berth-bare\n' >"$root/etc/hosts"
  mkdir -p "$root/var/cache/ccache"
  [ ! -d /usr/local/share/ca-certificates ] || cp -a /usr/local/share/ca-certificates "$root/usr/local/share/"
  # How this machine reaches Maven's, npm's and pip's packages.
  for settings in .m2/settings.xml .npmrc .config/pip/pip.conf; do
    [ ! -f "$HOME/$settings" ] || install -D "$HOME/$settings" "$root/root/$settings"
  done
  for settings in /etc/npmrc /etc/pip.conf; do [ ! -f "$settings" ] || install "$settings" "$root$settings"; done
}

# The environment of a command in such a root, as NAME=VALUE lines.
root_environment() {
  local name
  printf '%s\n' HOME=/root USER=root LANG=C.UTF-8 "TERM=${TERM:-dumb}" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  for name in CI NO_COLOR NODE_EXTRA_CA_CERTS http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    [ -z "${!name:-}" ] || printf '%s\n' "$name=${!name}"
  done
}
