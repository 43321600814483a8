import { DAY_MS } from '../../../domain/time.js';

/** What a mail is about. */
export interface Occasion {
  readonly keyName: string;
  /** The part of the key string that lists show. */
  readonly prefix: string;
  readonly expiresAt: Date;
  /** Of an idle key: when it ends unless it is used. */
  readonly endsAt: Date | undefined;
  readonly clientIp: string | undefined;
  /** Whether the key has a successor that has not been used yet. */
  readonly isReplaced: boolean;
  readonly service: ServiceKey | undefined;
  /** The key that it replaces: the part of the key string that lists show, and its name. */
  readonly replaces: string | undefined;
  /** Who found a leaked key, where, and the same place as a link if it can be one. */
  readonly leak: Readonly<Record<'source' | 'place' | 'link', string | undefined>> | undefined;
  /** When it happened. */
  readonly at: Date;
  /** When the mail is written. */
  readonly now: Date;
}

/** Of a key that belongs to a service account. */
export interface ServiceKey {
  /** Of the account. */
  readonly name: string;
  /** Whether the mail goes to one of its managers, and not to its own address. */
  readonly isForManager: boolean;
  /** Who made the key, if that is another person than the reader. */
  readonly maker: string | undefined;
}

export type Fact = readonly [label: string, value: string, link?: string | undefined];

export const yourKey = (service: ServiceKey | undefined) =>
  service?.isForManager ? 'An API key that you manage' : 'Your API key';
export const oneOfYourKeys = (service: ServiceKey | undefined) =>
  service?.isForManager ? 'One of the API keys that you manage' : 'One of your API keys';

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** 22 November 2026 at 10:00 UTC */
export function time(at: Date): string {
  return `${TIME.format(at)} UTC`;
}

/** None without a value. */
export function fact(label: string, value: string | undefined, link?: string): Fact[] {
  return value ? [[label, value, link]] : [];
}

export function within(end: Date, now: Date): string {
  const days = Math.ceil((end.getTime() - now.getTime()) / DAY_MS);
  return days > 1 ? `in ${days} days` : 'within a day';
}
