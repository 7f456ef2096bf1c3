// A form that a page sends into a window of its own, as pages of other origins can.

/** Sends `field`=`value`; returns the status of the answer. */
export async function statusOfForm(page, action, [field, value], type = 'application/x-www-form-urlencoded') {
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    page.evaluate(
      ({ action, name, value, enctype }) => {
        const form = document.createElement('form')
        const input = document.createElement('input')
        Object.assign(form, { method: 'post', action, enctype, target: '_blank' })
        Object.assign(input, { type: 'hidden', name, value })
        form.append(input)
        document.body.append(form)
        form.submit()
      },
      { action, name: field, value, enctype: type },
    ),
  ])
  await opened.waitForLoadState()
  const status = await opened.evaluate(() => performance.getEntriesByType('navigation')[0].responseStatus)
  if (opened.url() !== new URL(action).href) throw new Error(`a form to ${action} led to ${opened.url()}`)
  await opened.close()
  return status
}
