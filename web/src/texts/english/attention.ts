/** What needs doing. `when` is "yesterday" or "in 3 days". */
export const attention = {
  title: 'Needs attention',
  calm: 'Good to know',
  leaked: {
    on: (host: string) => `leaked on ${host}`,
    by: (source: string) => `leaked, as found by ${source}`,
    somewhere: 'leaked',
    title: (leaked: string, when: string) => `${leaked}, revoked ${when}`,
    text: 'Nobody can use it any more. Put a new key in its place, and check what it did before.',
    fix: 'Replace…',
    /** Of a key that its owner ended. */
    check: 'Nobody can use it any more. Check what it did before.',
  },
  expired: {
    title: (when: string) => `expired ${when}`,
    text: 'It was in use until then. Whatever uses it now gets errors.',
    textRejected: 'Something still uses it and gets errors.',
  },
  idle: {
    title: (when: string) => `revoked ${when}, unused for too long`,
    text: 'It was not used for so long that it was revoked.',
    textRejected: 'Something tries to use it again and gets errors.',
  },
  expiring: {
    title: (when: string) => `expires ${when}`,
    text: 'Rotate it if you still need it.',
    textInUse: 'It is in use. Rotate it now, and nothing stops working.',
  },
  seen: { title: (name: string) => `was made by ${name}, who has left`, text: 'They know the key. Rotate it.' },
  reading: {
    title: 'may write, and only reads',
    text: 'For 30 days it has used only permissions to read.',
    fix: 'See what it uses',
  },
  idling: { text: 'Use it once if you still need it. If not, there is nothing to do.' },
  unused: {
    title: (when: string) => `The new key has not been used yet; the old one expires ${when}`,
    text: 'Put the new key wherever the old one is used. If you lost it, undo the rotation and rotate again.',
  },
  rejected: (count: number, written: string) =>
    count === 1 ? ' · 1 request rejected since' : ` · ${written} requests rejected since`,
  handle: 'Mark handled',
  handled: 'Handled',
  /** For screen readers, which read each button alone. */
  about: (label: string, name: string) => `${label}: ${name}`,
  showMore: (count: number) => `Show ${count} more`,
};
