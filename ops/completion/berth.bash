# Completion of berth for bash: source <(berth completion bash)

# Bash cuts words at '=' and ':' too (COMP_WORDBREAKS) and replaces the last piece alone, so the pieces are joined where
# the line has no blank between them, and what stands before the last piece is taken off the answers.
_berth() {
  local line="${COMP_LINE:0:COMP_POINT}" words=() piece='' cut='' i
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece="${COMP_WORDS[i]}"
    if [[ $i -gt 0 && -n $line && $line != [[:space:]]* ]]; then
      cut="${words[-1]}"
      words[-1]+="$piece"
    else
      line="${line#"${line%%[![:space:]]*}"}"
      cut=''
      words+=("$piece")
    fi
    line="${line#"$piece"}"
  done
  [[ $piece != *[!=:]* ]] && cut="${words[-1]}"
  mapfile -t COMPREPLY < <("${words[0]}" __complete -- "${words[@]:1}" 2>/dev/null)
  COMPREPLY=("${COMPREPLY[@]#"$cut"}")
  [[ ${#COMPREPLY[@]} -eq 1 && $COMPREPLY == *[=:/] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _berth berth
