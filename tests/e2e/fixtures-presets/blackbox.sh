. "${0%/*}/agent.sh"

tick_all() { for at in "$@"; do tick .ralph/@fix_plan.md "task $at"; done; }
SURE='I am confident this is correct.'

# No status block: only the plan and the wording count here.
case $scenario$n in
  eighty1 | whole1) tick_all 1 2; say "$SURE Task 2 done." ;;
  eighty*) tick_all 3 4; say "$SURE Task 4 done." ;;
  whole*) tick_all 3 4 5; say 'All tasks are now complete.' ;;
  unsure*) tick_all 1; say "I think this might work, but I'm not sure." ;;
  stagnates*) say "$SURE Great progress was made." ;;
esac
