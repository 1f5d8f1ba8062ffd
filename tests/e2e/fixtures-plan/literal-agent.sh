# Follows the prompt literally: does one item, marks it, and reports as the rule in the prompt requires.
mkdir -p "$HOME/prompts"
prompt=$HOME/prompts/$EXITGATE_ITERATION.md
cat > "$prompt"

fail() { echo "$1" >&2; exit 1; }

# Reads the prompt: the item, how to mark it, when to claim, the sentence that this preset requires, and the form of the report.
section=no item=no marks= rule= always= if_done= form=
while IFS= read -r line; do
  case $line in
    '## Current task: item '*' of '*' in '*) section=yes item=yes plan=${line#*' in '} total=${line#*' of '} total=${total%%' in '*} ;;
    '## Current task'*) section=yes item=yes ;;
    '## '*) section=no ;;
    'If you trust it fully, also write: '*) always=${line#*': '} ;;
    'If you report COMPLETE, also write: '* | 'If you set it to true, also write: '*) if_done=${line#*': '} ;;
    *'EXIT_STATUS: {'*) form=exit ;;
    *---RALPH_STATUS---*) form=ralph ;;
    *DOYAKEN_STATUS:*) form=doyaken ;;
  esac
  [ $section = yes ] || continue
  case $line in *part-[1-9].txt*) part=${line#*part-}; echo done > "part-${part%%.*}.txt" ;; esac
  case $line in
    'When this item is done, '*) marks=${line#*, } marks=${marks%%. *} ;;
    *' only if '*'. Otherwise '*) rule=${line#*' only if '} rule=${rule%%. *} ;;
  esac
done < "$prompt"

# rewrite FILE COMMAND...: replaces the file with what the command makes of it.
rewrite() { file=$1; shift; text=$("$@" < "$file"); printf '%s\n' "$text" > "$file"; }
# tick_line [NUMBER]: ticks the box in this line, or all boxes.
tick_line() {
  at=0
  while IFS= read -r each; do
    at=$((at + 1))
    case $each in *'[ ]'*) [ $at != "${1:-$at}" ] || each="${each%%'[ ]'*}[x]${each#*'[ ]'}" ;; esac
    printf '%s\n' "$each"
  done
}
mark() {
  instruction=$1
  set -- $1
  case $instruction in
    'tick its box in '*' (line '*')') rewrite "$5" tick_line "${7%')'}" ;;
    'tick the boxes in '*) rewrite "$5" tick_line ;;
    'set "'*'" to true in story '* | 'set "'*'" to "done" in story '*) rewrite "$9" sed "s/\(\"id\":\"$7\"[^}]*$2:\)[^,}]*/\1$4/" ;;
    'move '*' to '*) mkdir -p "${4%/*}"; mv "$2" "$4" ;;
    'set "status: done" in the front matter of '*) rewrite "$9" sed 's/^status: .*/status: done/' ;;
    *) fail "the prompt asks for something unknown: $instruction" ;;
  esac
}
while [ -n "$marks" ]; do
  mark "${marks%%, then *}"
  case $marks in *', then '*) marks=${marks#*, then } ;; *) marks= ;; esac
done

# Counts the items marked as done, as you would when you open the plan.
done_in() {
  case $1 in
    *.json) tr '}' '\n' < "$1" | grep -c -e '"passes":true' -e '"status":"done"' ;;
    *.md) grep -c -e '- \[x\]' "$1" ;;
    *) { ls "$1/done" 2> /dev/null; grep -lx 'status: done' "$1"/*.md 2> /dev/null; } | grep -c . ;;
  esac
}
holds() {
  case $1 in
    'this item is done') true ;;
    'the tests pass') sh parts.sh > /dev/null ;;
    "all $total items are done") [ "$(done_in "$plan")" = "$total" ] ;;
    *) fail "the prompt names an unknown condition: $1" ;;
  esac
}
# Without a rule in the prompt, an honest agent thinks "the task" is the item it got.
claim=$item
while [ -n "$rule" ]; do
  holds "${rule%%' and '*}" || claim=no
  case $rule in *' and '*) rule=${rule#*' and '} ;; *) rule= ;; esac
done

say() { printf '%s\n' "$@"; }
# either DONE NOT_DONE
either() { if [ $claim = yes ]; then echo "$1"; else echo "$2"; fi; }
sentence=$always
[ $claim = no ] || sentence=${sentence:-$if_done}
sentence=${sentence#'"'}
say 'The item is done.'
[ -z "$sentence" ] || say "${sentence%'"'}"
say ''

# The status block from the prompt, filled in.
case $form in
  exit) say "EXIT_STATUS: $(either COMPLETE CONTINUE)" 'EXIT_REASON: see above' "REMAINING_WORK: $(either none 'other items')" ;;
  ralph)
    say ---RALPH_STATUS--- "STATUS: $(either COMPLETE IN_PROGRESS)" 'TASKS_COMPLETED_THIS_LOOP: 1' 'FILES_MODIFIED: 2' 'TESTS_STATUS: NOT_RUN' \
      'WORK_TYPE: IMPLEMENTATION' "EXIT_SIGNAL: $(either true false)" "RECOMMENDATION: $(either none 'the next item')" ---END_RALPH_STATUS---
    ;;
  doyaken)
    say DOYAKEN_STATUS: "  PHASE_COMPLETE: $(either true false)" '  FILES_MODIFIED: 2' "  TESTS_STATUS: $(either pass unknown)" \
      '  CONFIDENCE: high' "  REMAINING_WORK: $(either none 'the next item')"
    ;;
esac
