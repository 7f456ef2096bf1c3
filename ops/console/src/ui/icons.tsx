/** Line icons on a 16 by 16 grid; decoration only, what they stand beside says the same in words. */
const PATHS = {
  sessions: 'M2 4h12M2 8h12M2 12h7',
  agents: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  queue: 'M3 3h10M3 6.5h7M3 10h10M3 13.5h4',
  events: 'M8 2v6l3.5 2M8 14A6 6 0 1 1 8 2a6 6 0 0 1 0 12z',
  admin:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c.4-2.6 2.1-4 4.5-4s4.1 1.4 4.5 4M11 3a2.3 2.3 0 0 1 0 4.2M12 9.8c1.4.5 2.2 1.8 2.5 3.7',
  account: 'M5.5 9.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM8 8.5l6 5M11.5 11.5l1.5-1.7',
  start: 'M5 3l8 5-8 5z',
  power: 'M8 2v6M4.5 4.5a5 5 0 1 0 7 0',
  log: 'M3 2h7l3 3v9H3zM5.5 7h5M5.5 10h5',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6L14 14',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  add: 'M8 3v10M3 8h10',
  edit: 'M3 13l.6-2.8L11 2.8 13.2 5 5.8 12.4zM9.5 4.3l2.2 2.2',
  link: 'M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.3 4.3L11.3 8.8M9 11.5L7.5 13a3 3 0 0 1-4.3-4.3L4.7 7.2',
  remove: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
  theme: 'M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12',
  out: 'M6.5 2.5h-4v11h4M6.5 8h7M10.5 5l3 3-3 3',
  warn: 'M8 2.5l6.5 11h-13zM8 6.5v3.5M8 12h.01',
  ok: 'M3 8.5l3.5 3.5L13 4.5',
  wait: 'M8 4.5V8l2.5 1.5M8 14A6 6 0 1 1 8 2a6 6 0 0 1 0 12z',
  drain: 'M3 2.5h10l-3.5 5v6l-3-1.5V7.5z',
  apps: 'M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z',
  terminal: 'M2 3h12v10H2zM4.5 6l2 2-2 2M8 10h3.5',
  paste: 'M5.5 3.5h-2v10h9v-10h-2M5.5 2.5h5v2h-5z',
  bell: 'M4 11V7.5a4 4 0 0 1 8 0V11l1 1H3zM6.8 14h2.4',
  storage: 'M2 4h4.5L8 5.5h6V13H2z',
  share:
    'M11.8 5.8a1.9 1.9 0 1 0 0-3.8 1.9 1.9 0 0 0 0 3.8zM4.2 9.9a1.9 1.9 0 1 0 0-3.8 1.9 1.9 0 0 0 0 3.8zM11.8 14a1.9 1.9 0 1 0 0-3.8 1.9 1.9 0 0 0 0 3.8zM5.9 7.1l4.2-2.2M5.9 8.9l4.2 2.2',
  restore: 'M3.2 9.5A5 5 0 1 0 4.5 4.4L2.5 6.3M2.5 2.8v3.5H6',
  upload: 'M8 10.5v-8M4.8 5.5L8 2.3l3.2 3.2M3 13.5h10',
  download: 'M8 2.5v8M4.8 7.3L8 10.5l3.2-3.2M3 13.5h10',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3',
  time: 'M8 4.5V8l2.5 1.5M2.5 8A5.5 5.5 0 1 1 4.3 12.1M2 5.5L2.5 8l2.4-.6',
  usage: 'M3 13.5v-5M6.5 13.5v-9M10 13.5v-6.5M13.5 13.5v-11',
  operations: 'M1.5 9h3l2-5.5 3 9.5 2-4h3',
  previous: 'M11.5 3.5L6 8l5.5 4.5zM4 3.5v9',
  next: 'M4.5 3.5L10 8l-5.5 4.5zM12 3.5v9',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  speak: 'M2.5 6.5h2.5l3-3v9l-3-3H2.5zM10.5 6a3 3 0 0 1 0 4M12.5 4.5a5.5 5.5 0 0 1 0 7',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
