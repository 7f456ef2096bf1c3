import { microOf, writtenAmount } from '../amount/amount'
import { commandText, shellWord } from './command_line'
import type { Mount, MountingRequest } from './mounts'

export const COPY_FORMS = ['cli', 'curl', 'yaml', 'python'] as const
export type CopyForm = (typeof COPY_FORMS)[number]

/** The same request, as one would ask for it without the console. */
export function copyAs(form: CopyForm, request: MountingRequest, origin: string): string {
  return { cli: cliText, curl: curlText, yaml: yamlText, python: pythonText }[form](request, origin)
}

function cliText(request: MountingRequest): string {
  const { cpu, mem, disk, ...others } = (request.resources ?? {}) as Record<string, string>
  const options: [string, string | number | null | undefined][] = [
    ['--name', request.name],
    ['--type', request.type === 'interactive' ? undefined : request.type],
    ['--image', request.image],
    ['--group', request.group],
    ['--domain', request.domain],
    ['--project', request.project],
    ['--cpu', cpu],
    ['--mem', mem && writtenAmount(microOf(mem), 'bytes')],
    ['--disk', disk && writtenAmount(microOf(disk), 'bytes')],
    ...Object.entries(others).map(([slot, amount]): [string, string] => ['--resource', `${slot}=${amount}`]),
    ['--count', request.count],
    ...Object.entries(request.env ?? {}).map(([name, value]): [string, string] => [
      '--env',
      `${name}=${value}`,
    ]),
    ...(request.mounts ?? []).map((mount): [string, string] => ['--mount', mountText(mount)]),
    ['--start-time', request.start_time],
    ...(request.depends_on ?? []).map((one): [string, string] => ['--depends-on', one]),
  ]
  const given = options
    .filter(([, value]) => value != null)
    .map(([name, value]) => `${name} ${shellWord(String(value))}`)
  const command = request.command ? [`-- ${commandText(request.command)}`] : []
  return ['berth session run', ...given, ...command].join(' \\\n  ')
}

/** As `berth session run` takes it: FOLDER[:TARGET][:ro]. A target that reads as a mode is followed by one. */
function mountText({ folder, target, read_only }: Mount): string {
  const readsAsMode = target === 'ro' || target === 'rw'
  return [folder, target, read_only ? 'ro' : readsAsMode && 'rw'].filter(Boolean).join(':')
}

function curlText(request: MountingRequest, origin: string): string {
  const host = origin.replace(/^https?:\/\//, '')
  return `# ACCESS_KEY and SECRET_KEY: a key pair of yours
hmac() { openssl dgst -sha256 -mac HMAC -macopt "$1" | sed 's/.* //'; }
body=${shellWord(JSON.stringify(request))}
date=$(date -u +%Y-%m-%dT%H:%M:%SZ); day=$(date -u +%Y%m%d); id=$(cat /proc/sys/kernel/random/uuid)
hash=$(printf %s "$body" | openssl dgst -sha256 | sed 's/.* //')
key=$(printf %s ${host} | hmac "hexkey:$(printf %s "$day" | hmac "key:$SECRET_KEY")")
signature=$(printf 'POST\\n/v1/sessions\\n%s\\n%s\\napplication/json\\n2\\n%s\\n%s' "$date" ${host} "$id" "$hash" | hmac "hexkey:$key")
curl ${origin}/v1/sessions --data-binary "$body" -H 'Content-Type: application/json' -H "X-Berth-Date: $date" \\
  -H 'X-Berth-Version: 2' -H "Idempotency-Key: $id" -H "X-Berth-Content-SHA256: $hash" \\
  -H "Authorization: BERTH-HMAC-SHA256 key=$ACCESS_KEY, signature=$signature"`
}

/** Every JSON text is a YAML text: strings keep their quotes. */
function yamlText(request: MountingRequest): string {
  return yamlLines(request, '').join('\n')
}

function yamlLines(value: object, indent: string): string[] {
  return Object.entries(value).flatMap(([name, item]) => {
    if (Array.isArray(item))
      return [`${indent}${name}:`, ...item.map((one) => `${indent}  - ${JSON.stringify(one)}`)]
    if (item !== null && typeof item === 'object')
      return [`${indent}${yamlKey(name)}:`, ...yamlLines(item as object, `${indent}  `)]
    return [`${indent}${yamlKey(name)}: ${JSON.stringify(item)}`]
  })
}

const yamlKey = (name: string) => (/^[A-Za-z_][\w.]*$/.test(name) ? name : JSON.stringify(name))

function pythonText(request: MountingRequest): string {
  return `import berth

with berth.Client() as client:
    created = client.create_sessions(${pythonLiteral(request, '    ')})
    print([session["id"] for session in created["sessions"]])`
}

function pythonLiteral(value: unknown, indent: string): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map((item) => pythonLiteral(item, indent)).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const lines = Object.entries(value as object).map(
    ([name, item]) => `${indent}    ${JSON.stringify(name)}: ${pythonLiteral(item, `${indent}    `)},`,
  )
  return `{\n${lines.join('\n')}\n${indent}}`
}
