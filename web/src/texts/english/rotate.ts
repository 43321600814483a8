export const rotate = {
  title: (name: string) => `Rotate “${name}”`,
  intro:
    'You get a new key with the same name and the same access. Put it in place of the old one wherever that is used. Until the new key is first used, the old one keeps working.',
  grace: 'Once the new key is used, the old one ends',
  graceChoice: { 0: 'At once', 3600: 'After an hour', 86400: 'After a day', 604800: 'After a week' },
  graceText: {
    0: 'The old key is refused from the first use of the new one on.',
    3600: 'The old key keeps working for an hour after the new one is first used.',
    86400: 'The old key keeps working for a day after the new one is first used.',
    604800: 'The old key keeps working for a week after the new one is first used.',
  },
  latest: (date: string) => `It expires on ${date} in any case.`,
  expiry: 'The new key expires in',
  submit: 'Rotate key',
  pending:
    'This key is being replaced already. The list shows both: end the old key or take that rotation back, then try again.',
  ended: 'This key has ended in the meantime, so it can’t be replaced. Create a new one instead.',
  advice: 'Put it in place of the old key wherever that is used.',
  lost: {
    title: 'The new key was created, but we couldn’t show it to you',
    text: (name: string) =>
      `The answer with the new key for “${name}” was lost on the way. A key is shown only once, so nobody can use this one. The old key keeps working.`,
    advice: 'Revoke the new key and rotate again with the same choices.',
    again: 'Revoke it and rotate again',
    keep: 'Close without a key',
    working: 'Revoking it, then rotating again…',
  },
  pair: {
    label: (name: string) => `${name}: a new key and the one that it replaces`,
    old: 'Being replaced',
    next: 'New key',
    until: 'Until the new key is used',
    untilAfter: (duration: string) => `Until ${duration} after the new key is used`,
    latest: (relative: string) => `${relative} at the latest`,
    usedLast: 'used last of the two',
  },
  endOld: {
    action: 'End the old key now…',
    title: (name: string) => `End the old “${name}” now?`,
    consequence: (prefix: string) =>
      `Every program that still uses the old key is refused from now on. The new key (${prefix}) stays. This can’t be undone.`,
    unused: 'The new key has not been used yet: whatever needs this key probably still uses the old one.',
    confirm: (name: string) => `Yes, stop the old “${name}” for good`,
    submit: 'End old key',
    done: (name: string) => `The old “${name}” was ended; the new one stays`,
  },
  takeBack: {
    action: 'Take the rotation back…',
    title: (name: string) => `Take the rotation of “${name}” back?`,
    consequence: (prefix: string) =>
      `The new key is revoked: every program that uses it is refused from now on. The old key (${prefix}) keeps working. This can’t be undone.`,
    confirm: (name: string) => `Yes, stop the new “${name}” for good`,
    submit: 'Take rotation back',
    done: (name: string) => `The rotation of “${name}” was taken back: the old key keeps working`,
  },
};
