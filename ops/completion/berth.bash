# Completion of berth for bash: source <(berth completion bash)
_berth() {
  local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  local IFS=$'\n'
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" __complete -- "${words[@]}" 2>/dev/null)
}
complete -o default -F _berth berth
