import { denials } from '../denials.js';

/** The usage of a key. Numbers and dates come written. */
export const history = {
  title: 'Usage',
  lastDays: (days: number) => `Last ${days} days`,
  never: 'Not used yet',
  notLately: (days: number) => `No requests in the last ${days} days`,
  failed: 'Usage could not be loaded',
  granted: (count: string) => `${count} accepted`,
  refused: (count: string) => `${count} rejected`,
  chart: (days: number) => `Requests per day, last ${days} days`,
  day: (day: string, granted: string, refused: string) => `${day}: ${granted} accepted, ${refused} rejected`,
  addresses: 'Addresses',
  /** Below the chart, where requests were rejected. */
  rejected: 'Why the last one was rejected is listed below, by address.',
  noAddress: 'No request from a known address yet.',
  isNew: 'New',
  lastSeen: (relative: string) => `last seen ${relative}`,
  since: (date: string) => `since ${date}`,
  via: (service: string) => `via ${service}`,
  viaProxy: 'via a proxy',
  lastDenied: (relative: string) => `rejected ${relative}:`,
  denied: {
    operation: { read: 'read', write: 'write', destroy: 'delete' } as Readonly<Record<string, string>>,
    reason: denials('english'),
    has: (permissions: string) => `this key has ${permissions}`,
    other: 'not allowed',
  },
};
