export const rotate = {
  title: (name: string) => `Rotate “${name}”`,
  intro:
    'You get a new key with the same name and access. Put it in place of the old key. Nothing stops until the new key is first used.',
  grace: 'After the first use of the new key, the old one ends',
  graceChoice: { 0: 'At once', 3600: 'After an hour', 86400: 'After a day', 604800: 'After a week' },
  graceText: {
    0: 'The old key stops working with the first use of the new one.',
    3600: 'The old key keeps working for an hour after the first use of the new one.',
    86400: 'The old key keeps working for a day after the first use of the new one.',
    604800: 'The old key keeps working for a week after the first use of the new one.',
  },
  latest: (date: string) => `It expires on ${date} at the latest.`,
  expiry: 'The new key expires in',
  submit: 'Rotate key',
  pending: 'This key is already being rotated. End the old key or undo that rotation, then try again.',
  paused: 'This key is paused now. Resume it, then rotate it.',
  advice: 'Put it in place of the old key.',
  leaked: {
    title: (name: string) => `Replace leaked “${name}”`,
    intro:
      'The old key stops working at once, and everything that uses it, too. You get a new key with the same name, access and lifetime.',
    needsNone: 'Don’t need a new key?',
    onlyRevoke: 'Only revoke it',
    submit: 'Replace key now',
    done: (name: string) => `“${name}” was replaced`,
    advice: 'The old key no longer works. Put the new one in its place.',
    lost: {
      advice: 'The old key has ended. Revoke the new key and create another one with the same choices.',
      again: 'Revoke it and create another',
    },
  },
  lost: {
    advice: 'The old key keeps working. Revoke the new key and rotate again with the same choices.',
    again: 'Revoke it and rotate again',
  },
  pair: {
    until: 'Until the new key is used',
    untilAfter: (duration: string) => `Until ${duration} after the new key is used`,
    latest: (relative: string) => `${relative} at the latest`,
  },
  endOld: {
    action: 'End the old key now…',
    title: (name: string) => `End the old “${name}” now?`,
    consequence: (prefix: string) =>
      `Everything that still uses the old key stops working at once. The new key (${prefix}) stays. You can’t undo this.`,
    unused: 'The new key has not been used yet, so something probably still needs the old one.',
    confirm: 'Yes, end the old key permanently',
    submit: 'End old key',
    done: (name: string) => `The old “${name}” ended. The new one keeps working.`,
  },
  undo: {
    action: 'Undo rotation…',
    title: (name: string) => `Undo the rotation of “${name}”?`,
    consequence: (prefix: string) =>
      `The new key is revoked, and everything that uses it stops working at once. The old key (${prefix}) keeps working. You can’t undo this.`,
    confirm: 'Yes, revoke the new key permanently',
    submit: 'Undo rotation',
    done: (name: string) => `The rotation of “${name}” was undone. The old key keeps working.`,
  },
};
