export type Access = 'read' | 'write'
/** A person, or a project, which comes as DOMAIN/NAME. Folders have an access, sessions have none. */
export type Shared = { user?: string; project?: string; access?: Access }

/** Whom something is shared with; the domain that both are of is left out. */
export function nameOfShared({ user, project = '' }: Shared, domain: string): string {
  const own = `${domain}/`
  return user ?? (project.startsWith(own) ? project.slice(own.length) : project)
}
