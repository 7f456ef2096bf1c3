type Item = Pick<DataTransferItem, 'kind' | 'getAsFile' | 'webkitGetAsEntry'>

/** What was dropped: its files, and the names of folders, which are not uploaded. */
export function droppedFiles({ items }: { items: ArrayLike<Item> }) {
  const files: File[] = []
  const folders: string[] = []
  for (const item of Array.from(items)) {
    if (item.kind !== 'file') continue
    const entry = item.webkitGetAsEntry()
    const file = item.getAsFile()
    if (entry?.isDirectory) folders.push(entry.name)
    else if (file) files.push(file)
  }
  return { files, folders }
}

/** The files that were chosen; the same ones may be chosen again afterwards. */
export function chosenFiles(input: HTMLInputElement): File[] {
  const files = Array.from(input.files ?? [])
  input.value = ''
  return files
}
