#compdef berth
# Completion of berth for zsh: source <(berth completion zsh)
_berth() {
  local -a candidates
  candidates=("${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "${candidates[1]}" ]] && compadd -- "${candidates[@]}"
}
if [ "$funcstack[1]" = "_berth" ]; then _berth "$@"; else compdef _berth berth; fi
