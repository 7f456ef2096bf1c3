#compdef berth
# Completion of berth for zsh: source <(berth completion zsh)
_berth() {
  local -a candidates open
  candidates=("${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  candidates=("${(@)candidates:#}")
  (( $#candidates )) || { _files; return }
  open=("${(@M)candidates:#*[=:/]}")  # a value follows at once
  candidates=("${(@)candidates:#*[=:/]}")
  (( $#open )) && compadd -S '' -- "${open[@]}"
  (( $#candidates )) && compadd -- "${candidates[@]}"
}
if [ "$funcstack[1]" = "_berth" ]; then _berth "$@"; else compdef _berth berth; fi
