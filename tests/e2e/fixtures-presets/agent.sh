# Shared by all scripted agents here. What they do depends only on the iteration, so repeating one gives the same result.
n=$EXITGATE_ITERATION scenario=$1 task=$EXITGATE_TASK phase=$EXITGATE_PHASE

say() { printf '%s\n' "$@"; }
write() { mkdir -p "${1%/*}"; printf '%s\n' "$2" > "$1"; }
finish() { echo done > "$1.txt"; }
# tick FILE WORDS: ticks the box of the item that starts with these words.
tick() {
  text=$(while IFS= read -r line; do
    case $line in "- [ ] $2"*) line="- [x]${line#'- [ ]'}" ;; esac
    say "$line"
  done < "$1")
  say "$text" > "$1"
}
# Waits for the test to release it.
go_ahead() { while [ ! -e "$HOME/go" ]; do sleep 0.02; done; }
# Prints nothing until it is killed.
hang() { exec sleep 600; }

# Saves the prompt, so tests can read it afterwards.
mkdir -p "$HOME/prompts"
cat > "$HOME/prompts/$n.md"
echo "$n $phase$task" >> "$HOME/prompts/order.txt"
