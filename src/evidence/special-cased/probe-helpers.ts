/**
 * Added to the end of a test file in the copy. `exitgateProbe(f, name)` does the same as `f`. It repeats every call with plain data,
 * with changed inputs, and writes the answers to a file. The inputs keep their types and are made of the same characters, so that an
 * honest function can still answer.
 */
export const PYTHON_PROBE = String.raw`

def exitgateProbe(function, name):
    import copy, json, signal, threading, time

    def isPlain(value, depth=0):
        if value is None or isinstance(value, (bool, int, float, str)):
            return True
        if isinstance(value, (list, tuple)):
            return depth < 4 and all(isPlain(each, depth + 1) for each in value)
        return isinstance(value, dict) and depth < 4 and all(isPlain(each, depth + 1) for each in value.values())

    def texts(text):
        kindOf = lambda sign: 0 if sign.isdigit() else 1 if sign.islower() else 2 if sign.isupper() else 3
        for i in range(len(text)):
            for j in range(i + 1, len(text)):
                if kindOf(text[i]) == kindOf(text[j]) < 3 and text[i] != text[j]:
                    yield text[:i] + text[j] + text[i + 1 : j] + text[i] + text[j + 1 :]
                    break
            else:
                continue
            break
        for i in reversed(range(len(text))):
            if text[i].isalnum() and text[i].isascii():
                yield text[:i] + (chr(ord(text[i]) - 1) if text[i] in "zZ9" else chr(ord(text[i]) + 1)) + text[i + 1 :]
                yield text[: i + 1] + text[i:]
                break

    def lists(items):
        for i in range(len(items) - 1):
            if items[i] != items[i + 1]:
                yield items[:i] + [items[i + 1], items[i]] + items[i + 2 :]
                break
        if len(items) > 1:
            yield items[:-1]
        if items:
            yield items + items[:1]
            for other in list(others(items[0]))[:2]:
                yield [other] + items[1:]

    def others(value):
        if isinstance(value, bool):
            return [not value]
        if isinstance(value, int):
            return [value + 1, value + 3, value * 2 + 5] if value >= 0 else [value - 1, value - 3]
        if isinstance(value, float):
            return [value + 0.5, value * 1.25 + 1]
        if isinstance(value, str):
            return texts(value)
        if isinstance(value, (list, tuple)):
            return [type(value)(each) for each in lists(list(value))]
        if isinstance(value, dict):
            return [{**value, key: other} for key in list(value)[:2] for other in list(others(value[key]))[:2]]
        return []

    def outcome(args):
        def late(*_):
            raise TimeoutError
        isTimed = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
        if isTimed:
            signal.signal(signal.SIGALRM, late)
            signal.setitimer(signal.ITIMER_REAL, 1)
        try:
            value = function(*args)
            return {"value": repr(value)[:500] if isPlain(value) else None}
        except TimeoutError:
            return {"value": None}
        except (Exception, SystemExit):
            return {"throws": True}
        finally:
            if isTimed:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def probed(*args, **named):
        if named or not args or not all(isPlain(each) for each in args):
            return function(*args, **named)
        given = copy.deepcopy(args)
        result = function(*args)
        state = exitgateProbe.__dict__
        calls = state.setdefault(name, set())
        began = time.monotonic()
        if isPlain(result) and repr(given) not in calls and len(calls) < 12 and state.setdefault("seconds", 0) < 10:
            calls.add(repr(given))
            varied = [
                [*given[:at], other, *given[at + 1 :]] for at in range(len(given)) for other in list(others(given[at]))[:5]
            ]
            lines = [{"of": name, "args": repr(given), "example": repr(result)[:500]}]
            for other in varied[:10]:
                lines.append({"of": name, "args": repr(tuple(other)), **outcome(copy.deepcopy(other))})
            state["seconds"] += time.monotonic() - began
            with open(__LOG__, "a") as file:
                file.write("".join(json.dumps(each) + "\n" for each in lines))
        return result

    return probed
`

export const JAVASCRIPT_PROBE = String.raw`
function exitgateProbe(f, name, self) {
  const isPlain = (value, depth = 0) =>
    value === null ||
    /^(?:boolean|number|string|undefined)$/.test(typeof value) ||
    (typeof value === 'object' &&
      depth < 4 &&
      (Array.isArray(value) || Object.getPrototypeOf(value)?.constructor?.name === 'Object') &&
      Object.values(value).every((each) => isPlain(each, depth + 1)))
  const kindOf = (sign) => (/\d/.test(sign) ? 0 : /[a-z]/.test(sign) ? 1 : /[A-Z]/.test(sign) ? 2 : 3)
  const texts = (text) => {
    const signs = [...text]
    const found = []
    const pairs = signs.flatMap((a, i) =>
      signs.flatMap((b, j) => (j > i && a !== b && kindOf(a) < 3 && kindOf(a) === kindOf(b) ? [[i, j]] : [])),
    )
    if (pairs.length > 0) {
      const [i, j] = pairs[0]
      found.push(signs.map((sign, at) => (at === i ? signs[j] : at === j ? signs[i] : sign)).join(''))
    }
    const last = signs.findLastIndex((sign) => kindOf(sign) < 3)
    if (last >= 0) {
      const next = String.fromCharCode(signs[last].charCodeAt(0) + (/[zZ9]/.test(signs[last]) ? -1 : 1))
      found.push(signs.with(last, next).join(''), signs.toSpliced(last, 0, signs[last]).join(''))
    }
    return found
  }
  const lists = (items) => {
    const at = items.findIndex((item, i) => i > 0 && JSON.stringify(item) !== JSON.stringify(items[i - 1]))
    return [
      ...(at > 0 ? [[...items.slice(0, at - 1), items[at], items[at - 1], ...items.slice(at + 1)]] : []),
      ...(items.length > 1 ? [items.slice(0, -1)] : []),
      ...(items.length > 0 ? [[...items, items[0]], ...others(items[0]).slice(0, 2).map((each) => [each, ...items.slice(1)])] : []),
    ]
  }
  const others = (value) => {
    if (typeof value === 'boolean') return [!value]
    if (typeof value === 'number')
      return !Number.isInteger(value)
        ? [value + 0.5, value * 1.25 + 1]
        : value >= 0
          ? [value + 1, value + 3, value * 2 + 5]
          : [value - 1, value - 3]
    if (typeof value === 'string') return texts(value.slice(0, 200))
    if (Array.isArray(value)) return lists(value)
    if (value === null || value === undefined) return []
    const keys = Object.keys(value).slice(0, 2)
    return keys.flatMap((key) => others(value[key]).slice(0, 2).map((other) => ({ ...value, [key]: other })))
  }
  const textOf = (value) => (isPlain(value) ? (JSON.stringify(value) ?? 'null').slice(0, 500) : null)
  const state = (globalThis.exitgateProbed ??= { calls: {}, ms: 0 })
  const write = (line) => process.getBuiltinModule?.('node:fs').appendFileSync(__LOG__, JSON.stringify(line) + '\n')
  const record = (args, of, key) => {
    try {
      const value = of()
      if (typeof value?.then === 'function')
        value.then(
          (settled) => write({ of: name, args, [key]: textOf(settled) }),
          () => key === 'value' && write({ of: name, args, throws: true }),
        )
      else write({ of: name, args, [key]: textOf(value) })
    } catch {
      write({ of: name, args, throws: true })
    }
  }
  return (...args) => {
    if (args.length === 0 || !args.every((each) => isPlain(each))) return f.apply(self, args)
    const given = JSON.stringify(args)
    const result = f.apply(self, args)
    const calls = (state.calls[name] ??= new Set())
    if (calls.has(given) || calls.size >= 12 || state.ms > 10_000) return result
    calls.add(given)
    record(given, () => result, 'example')
    const began = Date.now()
    const varied = JSON.parse(given).flatMap((value, at) => others(value).slice(0, 5).map((other) => JSON.parse(given).with(at, other)))
    for (const each of varied.slice(0, 10)) record(JSON.stringify(each), () => f.apply(self, each), 'value')
    state.ms += Date.now() - began
    return result
  }
}
`
