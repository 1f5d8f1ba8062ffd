. "${0%/*}/agent.sh"

# block EXIT_SIGNAL [LINE]: the status block as its agents print it. The TESTS field is only what the agent says, and counts for nothing.
block() {
  signal=$1
  shift
  if [ $signal = true ]; then status=COMPLETE; else status=IN_PROGRESS; fi
  say "Phase $phase: worked on it." '' ---PRP_PHASE_STATUS--- 'TIMESTAMP: 2026-01-13T10:00:00Z' "PHASE: $phase" "STATUS: $status" \
    "ITERATION: $n" 'PROGRESS_PERCENT: 50' '' TESTS: '  TOTAL: 10' '  PASSING: 10' '  FAILING: 0' '  SKIPPED: 0' '' BLOCKERS: \
    '  - none' '' "$@" "EXIT_SIGNAL: $signal" 'RECOMMENDATION: go on' ---END_PRP_PHASE_STATUS---
}

# test_of NAME CALL RESULT
test_of() {
  say "import assert from 'node:assert/strict'" "import { test } from 'node:test'" "import { sum } from '../src/sum.js'" \
    "test('$1', () => assert.equal(sum($2), $3))"
}
red() {
  write src/sum.js 'export const sum = () => undefined'
  write test/two.test.js "$(test_of 'adds two numbers' '1, 2' 3)"
  write test/none.test.js "$(test_of 'is zero without numbers' '' 0)"
}
SUM='export const sum = (...all) => all.reduce((a, b) => a + b, 0)'
half() { write src/sum.js 'export const sum = (a, b) => (a === undefined ? undefined : a + b)'; }
green() { write src/sum.js "$SUM"; }
refactor() { write src/sum.js "$(say 'const add = (a, b) => a + b' 'export const sum = (...all) => all.reduce(add, 0)')"; }

C4='  title Sums
  Person(user, "User")
  System(sum, "Sum", "Adds numbers")
  Rel(user, sum, "calls")'
MERMAID="C4Context
$C4"
# Parsing a Mermaid diagram loads Mermaid, which takes a second or two; PlantUML isn't parsed.
PLANTUML="@startuml
!include C4_Context.puml
$C4
@enduml"
# documents LANGUAGE DIAGRAM
documents() {
  write docs/usage.md "$(say '# Usage' '' 'Call sum with any number of numbers and it adds them up.')"
  write docs/adr/0001-a-fold.md "$(say '# 1. A fold' '' '## Status' '' Accepted '' '## Context' '' 'Numbers come in any count.' '' \
    '## Decision' '' 'We fold over them.' '' '## Consequences' '' 'No numbers give zero.')"
  write docs/architecture.md "$(say '# Architecture' '' 'One function, and whoever calls it.' '' "\`\`\`$1" "$2" '```')"
}

claim() { block true; }
not_done() { block false; }
nothing_left() { block true 'NO_IMPROVEMENTS: true'; }

# What the agent does, by iteration number across all phases.
case $scenario$n in
  # Signals too early in RED, does half the work in GREEN, forgets the signal once, and postpones most documents.
  completes1) claim ;;
  completes2) red; claim ;;
  completes3) half; claim ;;
  completes4) green; not_done ;;
  completes5) claim ;;
  completes6) refactor; block true 'REFACTORING_COMPLETE: true' ;;
  completes7) write docs/usage.md 'Call sum with numbers and get what they add up to.'; claim ;;
  completes8) documents mermaid "$MERMAID"; claim ;;

  # Goes through all five phases; the review rejects the work once.
  reviewed1) red; claim ;;
  reviewed2) green; claim ;;
  reviewed[37]) nothing_left ;;
  reviewed4) documents plantuml "$PLANTUML"; claim ;;
  reviewed6) write src/sum.js "$(say '// Adds numbers.' "$SUM")"; claim ;;
  reviewed[589]) claim ;;

  # Writes the tests, then makes no more progress.
  opens1) red; claim ;;

  # Deletes the failing test instead of making it pass.
  deletes1) red; claim ;;
  deletes2) half; rm test/none.test.js; claim ;;
  deletes[34]) claim ;;

  # Waits in GREEN, so a test can control the run meanwhile.
  waits1) red; claim ;;
  waits2) go_ahead; half; not_done ;;
  waits3) green; nothing_left ;;
  waits4) documents plantuml "$PLANTUML"; nothing_left ;;
  waits5) claim ;;

  # Writes no test at all (idle), or has nothing more to do.
  *) not_done ;;
esac
