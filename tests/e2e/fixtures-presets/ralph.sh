. "${0%/*}/agent.sh"

# half NAME STATUS EXIT_SIGNAL
half() {
  finish "$1"
  tick .ralph/fix_plan.md "the $1 half"
  say "The $1 half is implemented." '' ---RALPH_STATUS--- "STATUS: $2" 'TASKS_COMPLETED_THIS_LOOP: 1' 'FILES_MODIFIED: 1' \
    'TESTS_STATUS: PASSING' 'WORK_TYPE: IMPLEMENTATION' "EXIT_SIGNAL: $3" 'RECOMMENDATION: go on with the plan' ---END_RALPH_STATUS---
}

case $scenario$n in
  completes1) half first IN_PROGRESS false ;;
  completes*) half second COMPLETE true ;;
  # Only runs the tests, again and again. Nothing changes, or it would be more than that.
  tests*) say 'Running tests: npm test. All tests were run once more.' ;;
  # All its tool calls are denied; this is how one agent CLI reports that.
  denied*)
    denial='{"tool_name":"Bash","tool_use_id":"tool-'$n'","tool_input":{"command":"npm install"}}'
    say '{"type":"system","subtype":"init","session_id":"s","tools":["Bash"],"model":"scripted"}' \
      '{"type":"result","subtype":"success","is_error":false,"session_id":"s","num_turns":1,"duration_ms":1,"result":"I was not allowed to install anything.","permission_denials":['"$denial"'],"usage":{}}'
    ;;
esac
