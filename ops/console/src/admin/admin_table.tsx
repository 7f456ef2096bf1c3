import { Button, TextInput } from '@mantine/core'
import type { TableName } from '../live/tables'
import { useReadAgain, useTable } from '../live/use_live'
import type { Rows } from '../live/tables'
import { usePlaceQuery } from '../app/router'
import { useText } from '../text/text'
import { byName } from '../ui/by_name'
import { Icon, type IconName } from '../ui/icons'
import { Failed, Loading, PageState } from '../ui/page_state'
import { VirtualTable, type Column } from '../ui/virtual_table'

type Props<T extends TableName> = {
  table: T
  label: string
  keyOf: (row: Rows[T]) => string
  columns: Column<Rows[T]>[]
  /** Absent where the caller may not add. */
  add?: { label: string; open: () => void }
  /** What these are, for where there are none. */
  none?: { icon: IconName; text: string }
}

/** The live rows of one noun, with a filter on what names them and a way to add one. */
export function AdminTable<T extends TableName>({ table, label, keyOf, columns, add, none }: Props<T>) {
  const { t } = useText()
  const place = usePlaceQuery()
  const { rows, loaded, failure } = useTable(table)
  const readAgain = useReadAgain(table)
  const text = place.get('q').toLowerCase()
  const shown = [...rows.values()]
    .filter((row) => keyOf(row).toLowerCase().includes(text))
    .sort((a, b) => byName(keyOf(a), keyOf(b)))
  return (
    <>
      <div className="page-head">
        <TextInput
          className="filter-text"
          aria-label={t('admin.filter')}
          placeholder={t('admin.filter')}
          leftSection={<Icon name="search" size={14} />}
          value={place.get('q')}
          onChange={(event) => place.set({ q: event.currentTarget.value })}
        />
        {loaded && !failure && (
          <span className="muted number">{t('table.shown', { shown: shown.length, all: rows.size })}</span>
        )}
        <span className="grow" />
        {add && (
          <Button leftSection={<Icon name="add" size={14} />} onClick={add.open}>
            {add.label}
          </Button>
        )}
      </div>
      {failure ? (
        <Failed error={failure} retry={readAgain} />
      ) : !loaded ? (
        <Loading />
      ) : shown.length === 0 ? (
        <PageState
          icon={text ? 'search' : (none?.icon ?? 'admin')}
          title={t(text ? 'admin.none-match' : 'admin.none')}
        >
          {!text && none && <p>{none.text}</p>}
        </PageState>
      ) : (
        <VirtualTable label={label} rows={shown} columns={columns} keyOf={keyOf} />
      )}
    </>
  )
}
