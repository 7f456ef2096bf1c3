/** What lets this browser into an app, once and within 30 s. */
export type Ticket = { url: string; ticket: string }

/** This window becomes the app's. By a form: neither the app nor a history learns the ticket from an address. */
export function enterApp({ url, ticket }: Ticket) {
  const form = document.createElement('form')
  const field = document.createElement('input')
  form.method = 'post'
  form.action = new URL('.berth/open', url).href
  form.hidden = true
  field.type = 'hidden'
  field.name = 'ticket'
  field.value = ticket
  form.append(field)
  document.body.append(form)
  form.submit()
}
