import { hashOf } from '../app/router'
import { useText } from '../text/text'
import type { Folder } from './folder'

/** Where one is within a folder; each part but the last leads there. */
export function Breadcrumbs({ folder, path }: { folder: Folder; path: string }) {
  const { t } = useText()
  const parts = path.split('/').filter(Boolean)
  const crumbs = [
    { name: t('nav.storage'), href: hashOf(['storage']) },
    { name: folder.name, href: hashOf(['storage', folder.id]) },
    ...parts.map((name, at) => ({
      name,
      href: hashOf(['storage', folder.id], { path: parts.slice(0, at + 1).join('/') }),
    })),
  ]
  return (
    <nav className="crumbs" aria-label={t('files.path')}>
      <ol>
        {crumbs.map(({ name, href }, at) => (
          <li key={href}>
            {at === crumbs.length - 1 ? <h1 aria-current="page">{name}</h1> : <a href={href}>{name}</a>}
          </li>
        ))}
      </ol>
    </nav>
  )
}
