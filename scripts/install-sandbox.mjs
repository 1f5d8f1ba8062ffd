// Installs bubblewrap where this is Debian and we are root. Without it, tests of the sandbox are skipped by name.
import { spawnSync } from 'node:child_process'
import { installPackage } from './postgres-programs.mjs'

const works = () => spawnSync('bwrap', ['--version']).status === 0
if (!works()) installPackage('bubblewrap')
console.log(works() ? 'bubblewrap is installed' : 'bubblewrap is not installed: tests of the sandbox are skipped')
