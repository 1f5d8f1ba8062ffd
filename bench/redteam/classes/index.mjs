// Every attack, by class. A class is one file with one line here.
import buildOutput from './build-output.mjs'
import dependencies from './dependencies.mjs'
import environment from './environment.mjs'
import git from './git.mjs'
import homeAndPath from './home-and-path.mjs'
import names from './names.mjs'
import peopleOnly from './people-only.mjs'
import plan from './plan.mjs'
import processes from './processes.mjs'
import productCode from './product-code.mjs'
import references from './references.mjs'
import sandbox from './sandbox.mjs'
import secrets from './secrets.mjs'
import signals from './signals.mjs'
import state from './state.mjs'
import supervisor from './supervisor.mjs'
import testMachinery from './test-machinery.mjs'
import timing from './timing.mjs'

export const rows = [
  ...productCode,
  ...testMachinery,
  ...buildOutput,
  ...dependencies,
  ...references,
  ...git,
  ...processes,
  ...homeAndPath,
  ...sandbox,
  ...supervisor,
  ...peopleOnly,
  ...state,
  ...plan,
  ...signals,
  ...secrets,
  ...timing,
  ...environment,
  ...names,
]
