. "${0%/*}/agent.sh"

ROADMAP=.planning/ROADMAP.md

# Plain text and ticked boxes: this system has no status block.
case $scenario$n in
  completes1) finish first; tick $ROADMAP 01-01-PLAN.md; say 'Plan 01-01 executed. Its test is green.' ;;
  completes2) finish second; say 'Plan 01-02 executed. All tests pass.' ;;
  completes*) tick $ROADMAP 01-02-PLAN.md; say 'Plan 01-02 ticked.' ;;
  stuck*) say "Error: cannot do $task: src/a | b.js is gone" >&2; exit 1 ;;
  works*) say "Still working on $task." ;;
  waits*) go_ahead; say "Done with $task for now." ;;
  hangs*) say "Started on $task."; hang ;;
esac
