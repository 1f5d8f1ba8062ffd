import { spawnSync } from 'node:child_process'

/** Why tests in Python can't run here. */
export const noPython = spawnSync('python3', ['--version']).status === 0 ? undefined : 'python3 is not installed'
