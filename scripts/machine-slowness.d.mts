export function machineSlowness(): number
