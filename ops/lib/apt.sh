# This machine's Debian archive and the way to it, for the systems that are made from it (images, ops/bare).

# The address of the archive, as apt has it: its first source of this machine's own release and component main.
debian_archive() {
  local codename
  codename="$(. /etc/os-release && echo "$VERSION_CODENAME")"
  # shellcheck disable=SC2016  # fields of apt, not variables
  apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    awk -v codename="$codename" '$1 == codename && $2 == "main" && uri == "" { uri = $3 } END { print uri }'
}

# debian_sources SUITE: lines of a sources.list for that release with its updates and security fixes, from where this
# machine has those of its own.
debian_sources() {
  local codename
  codename="$(. /etc/os-release && echo "$VERSION_CODENAME")"
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    awk -v own="$codename" -v suite="$1" '$2 == "main" && ($1 == own || $1 == own "-updates" || $1 == own "-security") {
      sub("^" own, suite, $1); print "deb", $3, $1, $2 }' | sort -u
}

# The machine's settings of proxies, certificates and tries, as lines of an apt.conf; of its others none.
apt_settings() { apt-config dump | grep -E '^Acquire::(http|https|Retries|Check-Valid-Until|Check-Date)\b' || true; }
