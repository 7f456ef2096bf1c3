import { useState } from 'react'
import { call, part } from '../api/client'
import { may } from '../api/identity'
import type { Image } from '../api/schema.gen'
import { useMe } from '../app/account_context'
import { useText } from '../text/text'
import { EditDialog, type Field } from '../ui/edit_dialog'
import { RowActions } from '../ui/row_actions'
import type { Column } from '../ui/virtual_table'
import { buildMore, buildWords } from '../ui/image_build'
import { AdminTable } from './admin_table'
import { RemoveDialog } from './remove_dialog'

type Doing = { kind: 'add' } | { kind: 'remove'; image: Image }

export default function ImageSection() {
  const { t } = useText()
  const me = useMe()
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  const columns: Column<Image>[] = [
    {
      key: 'reference',
      title: t('session.image'),
      width: 'minmax(140px, 1fr)',
      card: 'head',
      render: ({ reference }) => reference,
    },
    {
      key: 'architecture',
      title: t('image.architecture'),
      width: '90px',
      card: 'side',
      render: ({ architecture }) => architecture,
    },
    {
      key: 'source',
      title: t('image.source'),
      width: 'minmax(160px, 1.4fr)',
      card: 'detail',
      titled: true,
      render: ({ source }) => <span title={source}>{source}</span>,
    },
    {
      key: 'build',
      title: t('image.build'),
      width: 'minmax(90px, 0.5fr)',
      card: 'detail',
      titled: true,
      render: (image) => <span title={buildMore(image)}>{buildWords(image, t) || '–'}</span>,
    },
    {
      key: 'digest',
      title: t('image.digest'),
      width: 'minmax(110px, 0.7fr)',
      render: ({ digest }) => (
        <span className="mono muted" title={digest}>
          {digest.slice(0, 19) || '–'}
        </span>
      ),
    },
    {
      key: 'labels',
      title: t('image.labels'),
      width: 'minmax(120px, 1fr)',
      render: ({ labels }) =>
        Object.entries(labels)
          .map(([name, value]) => `${name}=${value}`)
          .join(', ') || '–',
    },
    {
      key: 'act',
      title: t('session.control'),
      width: '50px',
      right: true,
      card: 'side',
      render: (image) =>
        may(me, 'image', 'end') && (
          <RowActions
            name={image.reference}
            actions={[
              {
                icon: 'remove',
                label: t('action.remove'),
                danger: true,
                act: () => setDoing({ kind: 'remove', image }),
              },
            ]}
          />
        ),
    },
  ]
  const fields: Field[] = [
    { name: 'reference', label: t('session.image'), required: true, hint: t('image.reference-hint') },
    { name: 'source', label: t('image.source'), required: true, hint: t('image.source-hint') },
    { name: 'architecture', label: t('image.architecture') },
  ]
  return (
    <>
      <AdminTable
        table="images"
        label={t('admin.images')}
        keyOf={({ reference }) => reference}
        columns={columns}
        add={
          may(me, 'image', 'create', 'change')
            ? { label: t('image.add'), open: () => setDoing({ kind: 'add' }) }
            : undefined
        }
      />
      {doing?.kind === 'add' && (
        <EditDialog
          title={t('image.add')}
          fields={fields}
          initial={{ architecture: 'x86_64' }}
          action={t('action.add')}
          effect={() => null}
          submit={({ reference, source, architecture }, reason) =>
            call('POST', '/v1/images', { body: { reference, source, architecture }, query: { reason } })
          }
          close={close}
        />
      )}
      {doing?.kind === 'remove' && (
        <RemoveDialog
          removal={{
            kind: 'image',
            id: doing.image.reference,
            name: doing.image.reference,
            path: `/v1/images/${part(doing.image.reference)}`,
          }}
          close={close}
        />
      )}
    </>
  )
}
