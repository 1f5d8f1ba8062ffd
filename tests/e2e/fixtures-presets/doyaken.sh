. "${0%/*}/agent.sh"

BOARD=.doyaken/tasks
# status COMPLETE FILES TESTS LEFT: the status block its prompts require.
status() {
  say 'DOYAKEN_STATUS:' "  PHASE_COMPLETE: $1" "  FILES_MODIFIED: $2" "  TESTS_STATUS: $3" '  CONFIDENCE: high' "  REMAINING_WORK: $4"
}
# half NAME FILE: does this half and moves its task.
half() {
  finish "$1"
  mkdir -p $BOARD/4.done
  mv "$BOARD/2.todo/$2" "$BOARD/4.done/$2"
  say "Implementation of the $1 half is finished; its test is passing." ''
  status true 2 pass none
}

case $scenario$n in
  # Plain text is not a claim.
  completes1) say 'The implementation is finished and all tasks are complete.' ;;
  completes2) half first 001-first.md ;;
  completes*) half second 002-second.md ;;
  # Repeats its usual answer while nothing in the project changes.
  stalls*)
    say 'Looked at the task once more.' ''
    status false 0 unknown everything
    ;;
esac
