export const revoke = {
  title: (name: string) => `Revoke “${name}”?`,
  titleLeaked: (name: string) => `Revoke “${name}” because it leaked?`,
  consequence: 'Everything that uses this key stops working at once. You can’t undo this.',
  key: 'Key',
  counts: (accepted: string, rejected: string) => `${accepted} accepted · ${rejected} rejected`,
  noRequests: 'No requests',
  addresses: 'Last seen from',
  addressVia: (address: string, service: string) => `${address} via ${service}`,
  recent: 'It was used within the last day, so something probably still needs it.',
  confirm: 'Yes, revoke it permanently',
  confirmNeeded: 'Tick the box to confirm',
  submit: 'Revoke key',
  /** Until no service accepts the key any more. */
  stopping: 'Stopping it everywhere…',
  done: (name: string) => `“${name}” was revoked`,
  already: {
    revoked: (name: string) => `“${name}” had already been revoked`,
    expired: (name: string) => `“${name}” had already expired`,
  },
  gone: (name: string) => `“${name}” no longer exists`,
};

export const pause = {
  for: { 5: 'Pause for 5 minutes', 60: 'Pause for an hour', 1440: 'Pause for a day' } as Readonly<
    Record<number, string>
  >,
  until: (when: string) => `Paused until ${when}`,
  /** In the form that revokes a key. */
  advice: 'Not sure who uses it? Pause it first, and see who is rejected.',
  first: 'Pause it for an hour',
  done: (name: string, when: string) => `“${name}” is paused and works again ${when}`,
  fact: 'Paused until',
};
