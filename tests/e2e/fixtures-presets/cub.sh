. "${0%/*}/agent.sh"

complete() { say 'EXIT_STATUS: COMPLETE' 'EXIT_REASON: what is asked for is there' 'REMAINING_WORK: none'; }

case $scenario$n in
  completes1)
    finish first
    say 'The first half is written.' ''
    say 'EXIT_STATUS: CONTINUE' 'EXIT_REASON: what is asked for is not there' 'REMAINING_WORK: the second half'
    ;;
  completes*)
    finish second
    say 'All tasks are completed and ready for review.' '' '<promise>COMPLETE</promise>' ''
    complete
    ;;
  # Every task in the list is verified separately.
  listed*)
    case $task in *first*) half=first ;; *) half=second ;; esac
    finish $half
    tick PLAN.md "the $half half"
    say "The $half half: all tasks are completed." 'It is ready for review.' ''
    complete
    ;;
  # Hints at being done, but never prints the exact promise.
  blocked*)
    finish first
    say "<promise>COMPLETE</promise> is what I would like to say. Note $n."
    ;;
  hangs*)
    say 'Thinking.'
    hang
    ;;
esac
