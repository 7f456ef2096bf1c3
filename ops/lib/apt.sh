# This machine's Debian archive and the way to it, for the systems that are made from it (images, ops/bare).

# own_archives: where apt takes Debian's component main of this machine's own release from, `RELEASE ADDRESS` a line, in apt's order: bookworm,
# bookworm-updates, bookworm-security, whatever the sources call them (stable). Of others that name the release Debian's own come first.
own_archives() {
  local codename suite address list
  codename="$(. /etc/os-release && echo "$VERSION_CODENAME")"
  # shellcheck disable=SC2016  # fields of apt, not variables
  apt-get indextargets --format '$(RELEASE) $(CODENAME) $(COMPONENT) $(REPO_URI) $(ORIGIN)' 'Created-By: Packages' |
    awk -v own="$codename" '
      function is_own(name) { return name == own || name == own "-updates" || name == own "-security" }
      $3 != "main" || $4 ~ /^cdrom:/ { next }
      { suite = is_own($2) ? $2 : is_own($1) ? $1 : "" }
      suite != "" { line = suite " " $4; if ($5 == "Debian") print line; else others = others line "\n" }
      END { printf "%s", others }' |
    while read -r suite address; do
      # A list of mirrors on this machine (cloud images): its first one, for a system elsewhere does not have the list.
      if [[ $address =~ ^mirror\+file:/*(/.*[^/])/*$ ]]; then
        list="${BASH_REMATCH[1]}"
        address="$(awk '!/^[[:space:]]*(#|$)/ { print $1; exit }' "$list")"
        [ -n "$address" ] || continue
        address="${address%/}/"
      fi
      printf '%s %s\n' "$suite" "$address"
    done
}

# The address of the archive, as apt has it: its first source of this machine's own release and component main.
debian_archive() {
  local codename
  codename="$(. /etc/os-release && echo "$VERSION_CODENAME")"
  own_archives | awk -v own="$codename" '$1 == own && uri == "" { uri = $2 } END { print uri }'
}

# need_archive: ends with what to do where apt has no archive of this machine's own release. A machine that never ran `apt-get update`
# (one fresh of its image) has no lists yet, and they are fetched. Needs common.sh.
need_archive() {
  [ -z "$(debian_archive)" ] || return 0
  say "$PROGRAM: fetching apt's lists of packages, which this machine has not"
  local said
  said="$(apt-get -q -o DPkg::Lock::Timeout=300 update 2>&1 </dev/null)" ||
    die "apt-get update failed, and apt's lists have no Debian of this machine's own release" "$(printf '%s' "$said" | grep -E '^[EW]:' | tail -n 1)"
  [ -n "$(debian_archive)" ] || die "apt has no Debian source of this machine's own release" "see /etc/apt/sources.list"
}

# debian_sources SUITE: lines of a sources.list for that release with its updates and security fixes, from where this
# machine has those of its own.
debian_sources() {
  local codename
  codename="$(. /etc/os-release && echo "$VERSION_CODENAME")"
  own_archives | awk -v own="$codename" -v suite="$1" '{ sub("^" own, suite, $1); print "deb", $2, $1, "main" }' | sort -u
}

# The machine's settings of proxies, certificates and tries, as lines of an apt.conf; of its others none.
apt_settings() { apt-config dump | grep -E '^Acquire::(http|https|Retries|Check-Valid-Until|Check-Date)\b' || true; }
