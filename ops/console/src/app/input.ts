const AT_MOST_EVERY_MS = 300_000

/**
 * Calls `tell` when a person presses a key or a button, but not more often than the server writes a last use down: what
 * the console asks by itself is no use of the browser session.
 */
export function tellOfInput(tell: () => void, at: EventTarget = window) {
  let told = Date.now()
  const heard = () => {
    if (Date.now() - told < AT_MOST_EVERY_MS) return
    told = Date.now()
    tell()
  }
  for (const input of ['pointerdown', 'keydown']) at.addEventListener(input, heard, { capture: true })
}
