const rejected = (count: string | undefined) => (count === undefined ? '' : ` · ${count} requests rejected since`);

/** What needs doing. `when` is "yesterday" or "in 3 days"; `count` is a number of requests, if there were any. */
export const attention = {
  title: 'Needs attention',
  leaked: {
    on: (host: string) => `leaked on ${host}`,
    by: (source: string) => `leaked, as found by ${source}`,
    somewhere: 'leaked',
    title: (leaked: string, when: string, count: string | undefined) => `${leaked}, revoked ${when}${rejected(count)}`,
    text: 'Nobody can use it any more. Put a new key in its place, and check what it did before.',
    fix: 'Replace…',
  },
  expired: {
    title: (when: string, count: string | undefined) => `expired ${when}${rejected(count)}`,
    text: (isRejected: boolean) =>
      isRejected
        ? 'Something still uses it and gets errors.'
        : 'It was in use until then. Whatever uses it now gets errors.',
    fix: 'Create again…',
  },
  idle: {
    title: (when: string, count: string | undefined) => `revoked ${when}, unused for too long${rejected(count)}`,
    text: 'Something tries to use it again and gets errors.',
    fix: 'Create again…',
  },
  expiring: {
    title: (when: string) => `expires ${when}`,
    text: (isInUse: boolean) =>
      isInUse ? 'It is in use. Rotate it now, and nothing stops working.' : 'Rotate it if you still need it.',
    fix: 'Rotate…',
  },
  unused: {
    title: (when: string) => `The new key has not been used yet; the old one expires ${when}`,
    text: 'Put the new key wherever the old one is used. If you lost it, undo the rotation and rotate again.',
  },
  seeUsage: 'See what it did',
  /** For screen readers, which read each link and button alone. */
  about: (label: string, name: string) => `${label}: ${name}`,
  showMore: (count: number) => `Show ${count} more`,
};
