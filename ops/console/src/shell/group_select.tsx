import { NativeSelect } from '@mantine/core'
import { useText } from '../text/text'
import { useCurrentGroup } from './current_group'

export function GroupSelect() {
  const { t } = useText()
  const { group, groups, choose } = useCurrentGroup()
  return (
    <NativeSelect
      className="shell-group"
      aria-label={t('shell.group')}
      value={group}
      data={groups.length > 0 ? groups : [{ value: '', label: t('shell.no-group') }]}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  )
}
