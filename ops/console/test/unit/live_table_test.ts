import { expect, test } from 'vitest'
import type { Session } from '../../src/api/schema.gen'
import { LiveTable } from '../../src/live/live_table'

const session = (id: string, status: Session['status'] = 'RUNNING', name = id) =>
  ({ id, name, status }) as Session
const put = (row: Session, position: number) => ({ key: row.id, row, position })
const gone = (key: string, position: number) => ({ key, row: null, position })

function loaded(rows: Session[], position = 10) {
  const table = new LiveTable('sessions', position)
  table.list(rows, position)
  table.finish()
  return table
}

const names = (table: LiveTable) => table.everything.map(({ row }) => (row as Session).name)

test('of two values of a row the newer position wins, in whatever order they come', () => {
  const table = loaded([session('s1', 'PENDING', 'first')])
  table.tell(put(session('s1', 'RUNNING', 'newest'), 30))
  expect(table.tell(put(session('s1', 'PENDING', 'older'), 20))).toEqual([])
  expect(names(table)).toEqual(['newest'])
})

test('what is told twice is there once', () => {
  const table = loaded([])
  table.tell(put(session('s1'), 20))
  table.tell(put(session('s1'), 20))
  expect(names(table)).toEqual(['s1'])
})

test('a row that left before its newest value came is still there', () => {
  const table = loaded([session('s1')])
  table.tell(put(session('s1', 'RUNNING', 'again'), 30))
  table.tell(gone('s1', 20))
  expect(names(table)).toEqual(['again'])
})

test('what the stream tells while the list is being read is applied behind it', () => {
  const table = new LiveTable('sessions', 10)
  expect(table.tell(put(session('s1', 'RUNNING', 'news'), 12))).toEqual([])
  table.tell(put(session('s2'), 13))
  table.tell(gone('s3', 14))
  table.list([session('s1', 'PENDING', 'listed'), session('s3')], 11)
  table.finish()
  expect(names(table)).toEqual(['news', 's2'])
})

test('the stream tells nothing new that the list had already', () => {
  const table = new LiveTable('sessions', 10)
  table.tell(put(session('s1', 'PENDING', 'old'), 11))
  table.tell(gone('s2', 11))
  table.list([session('s1', 'RUNNING', 'listed'), session('s2')], 12)
  table.finish()
  expect(names(table)).toEqual(['listed', 's2'])
})

test('rows keep the order in which they came first', () => {
  const table = loaded([session('s1'), session('s2')])
  table.tell(put(session('s3'), 20))
  table.tell(put(session('s1', 'TERMINATING'), 21))
  expect(names(table)).toEqual(['s1', 's2', 's3'])
})

test('the newest 500 ended sessions stay; the oldest of more is told as gone', () => {
  const table = loaded([session('live')])
  for (let index = 0; index < 500; index++) table.tell(put(session(`e${index}`, 'TERMINATED'), 20 + index))
  const changes = table.tell(put(session('e500', 'TERMINATED'), 600))
  expect(changes).toContainEqual({ key: 'e0', row: null })
  expect(table.everything).toHaveLength(501)
})
