// Writes of the API's description src/api/schema.gen.ts, a TypeScript type for each schema, and src/api/past.gen.ts, which routes
// answer of a moment that is past.
import { readFileSync, writeFileSync } from 'node:fs'

const description = new URL('../../../controller/api/openapi.json', import.meta.url)
const target = new URL('../src/api/schema.gen.ts', import.meta.url)
const pastTarget = new URL('../src/api/past.gen.ts', import.meta.url)

const nameOf = (ref) => ref.slice(ref.lastIndexOf('/') + 1)
const quoted = (value) => (value === null ? 'null' : `'${value}'`)

function objectType(schema, indent) {
  const required = new Set(schema.required ?? [])
  const lines = Object.entries(schema.properties ?? {}).map(
    ([name, property]) =>
      `${indent}  ${name}${required.has(name) ? '' : '?'}: ${typeOf(property, `${indent}  `)}`,
  )
  if (lines.length > 0) return `{\n${lines.join('\n')}\n${indent}}`
  const values = schema.additionalProperties
  return `Record<string, ${values && values !== true ? typeOf(values, indent) : 'unknown'}>`
}

function plainType(type, schema, indent) {
  if (type === 'null') return 'null'
  if (schema.enum)
    return schema.enum
      .filter((value) => value !== null)
      .map(quoted)
      .join(' | ')
  if (type === 'object') return objectType(schema, indent)
  if (type === 'array') return `Array<${typeOf(schema.items ?? {}, indent)}>`
  if (type === 'integer' || type === 'number') return 'number'
  return { string: 'string', boolean: 'boolean' }[type] ?? 'unknown'
}

function typeOf(schema, indent) {
  if (schema.$ref) return nameOf(schema.$ref)
  const choices = schema.properties ? undefined : (schema.oneOf ?? schema.anyOf)
  if (choices) return choices.map((choice) => typeOf(choice, indent)).join(' | ')
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  return [...new Set(types.map((type) => plainType(type, schema, indent)))].join(' | ')
}

const { components, paths } = JSON.parse(readFileSync(description, 'utf8'))
const { schemas } = components
const made = '// Made by scripts/types.mjs of controller/api/openapi.json.\n\n'
const types = Object.entries(schemas).map(([name, schema]) => `export type ${name} = ${typeOf(schema, '')}\n`)
writeFileSync(target, made + types.join('\n'))

const pattern = (path) => `  /^${path.replaceAll('/', '\\/').replaceAll(/\{\w+\}/g, '[^/]+')}$/,`
const past = Object.entries(paths)
  .filter(([, { get }]) => get?.['x-berth-past'])
  .map(([path]) => pattern(path))
writeFileSync(pastTarget, `${made}export const HAVE_PAST = [\n${past.join('\n')}\n]\n`)
