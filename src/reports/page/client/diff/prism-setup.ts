/** Prism looks for this when it loads: without it, it would highlight the whole page by itself. */
Object.assign(globalThis, { Prism: { manual: true, disableWorkerMessageHandler: true } })
