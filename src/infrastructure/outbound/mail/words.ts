import type { NoticeType } from '../../../domain/notices/key-notice.js';
import { DAY_MS } from '../../../domain/time.js';

/** What a mail is about. */
export interface Occasion {
  readonly keyName: string;
  /** The part of the key string that lists show. */
  readonly prefix: string;
  readonly expiresAt: Date;
  readonly clientIp: string | undefined;
  /** Whether the key has a successor that has not been used yet. */
  readonly isReplaced: boolean;
  /** The key that it replaces: the part of the key string that lists show, and its name. */
  readonly replaces: string | undefined;
  /** Who found a leaked key, where, and the same place as a link if it can be one. */
  readonly leak: Readonly<Record<'source' | 'place' | 'link', string | undefined>> | undefined;
  /** When it happened. */
  readonly at: Date;
  /** When the mail is written. */
  readonly now: Date;
}

/** The text of one mail. What people typed appears only at the end of the subject and in the facts. */
export interface Words {
  readonly subject: string;
  readonly heading: string;
  readonly happened: string;
  readonly facts: readonly Fact[];
  readonly advice: readonly string[];
  /** The label of the link to the key. */
  readonly link: string;
}

type Fact = readonly [label: string, value: string, link?: string | undefined];

export type MailedType = keyof typeof WORDS;

export function wordsOf(type: MailedType, occasion: Occasion): Words {
  const { title, ...words } = WORDS[type](occasion);
  const { keyName, prefix } = occasion;
  const facts = [['Key', keyName], ['Begins with', prefix], ...words.facts] as const;
  return { ...words, subject: `${title}: ${keyName}`, heading: title, facts };
}

export function isMailed(type: NoticeType): type is MailedType {
  return Object.hasOwn(WORDS, type);
}

export const greeting = (displayName: string) => (displayName ? `Hello ${displayName},` : 'Hello,');
export const footer = (host: string) => `You get this mail because you have API keys at ${host}.`;

type OwnWords = Omit<Words, 'subject' | 'heading'> & { readonly title: string };

const WORDS = {
  'api_key.created': (occasion): OwnWords =>
    occasion.replaces ? rotated(occasion, occasion.replaces) : created(occasion),
  'api_key.expiring': ({ expiresAt, isReplaced, now }): OwnWords => ({
    title: `Your API key expires ${within(expiresAt, now)}`,
    happened: `One of your API keys expires ${within(expiresAt, now)}. After that, requests with it are refused.`,
    facts: [['Expires', time(expiresAt)]],
    advice: isReplaced
      ? [
          'You have rotated it, but the new key has not been used yet. Replace the old key with it wherever the old one is used.',
        ]
      : [
          'To avoid an interruption, rotate it: you get a new key, and the old one keeps working for some time after the ' +
            'first use of the new one.',
          'If you no longer need the key, there is nothing to do.',
        ],
    link: isReplaced ? 'Show the key' : 'Rotate the key',
  }),
  'api_key.leaked': ({ at, leak, isReplaced }): OwnWords => ({
    title: 'Your API key leaked and was revoked',
    happened: 'One of your API keys was reported as leaked. It was revoked at once and can’t be used any more.',
    facts: [['Revoked', time(at)], ...fact('Found by', leak?.source), ...fact('Found at', leak?.place, leak?.link)],
    advice: [
      isReplaced
        ? 'You have rotated it: use the new key in place of the old one.'
        : 'Create a new key and use it in place of the old one.',
      'Remove the old one from the place where others could read it, and check what it was used for.',
    ],
    link: 'See what the key was used for',
  }),
  'api_key.used_from_new_network': ({ at, clientIp }): OwnWords => ({
    title: 'Your API key was used from a new network',
    happened: 'One of your API keys was used from a network from which it had not been used in the last 90 days.',
    facts: [...fact('Address', clientIp), ['Used', time(at)]],
    advice: [
      'If that was you, or one of your services after a move, there is nothing to do.',
      'If it was not, revoke the key now, and create a new one for the programs that need it.',
    ],
    link: 'Show the key',
  }),
} as const satisfies Partial<Record<NoticeType, (occasion: Occasion) => OwnWords>>;

function created({ at, clientIp, expiresAt }: Occasion): OwnWords {
  return {
    title: 'A new API key was created',
    happened: 'A new API key was created for your account.',
    facts: [['Created', time(at)], ...fact('From the address', clientIp), ['Expires', time(expiresAt)]],
    advice: [
      'If you created it, there is nothing to do.',
      'If you did not, revoke it now, and change the password that you sign in with.',
    ],
    link: 'Show the key',
  };
}

function rotated({ at, clientIp, expiresAt }: Occasion, replaces: string): OwnWords {
  return {
    title: 'Your API key was rotated',
    happened: 'One of your API keys was rotated: a new key replaces it.',
    facts: [
      ['Replaces', replaces],
      ['Rotated', time(at)],
      ...fact('From the address', clientIp),
      ['Expires', time(expiresAt)],
    ],
    advice: [
      'If you rotated it, use the new key wherever the old one is used.',
      'If you did not, revoke the new key now, and change the password that you sign in with.',
    ],
    link: 'Show the new key',
  };
}

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** 22 November 2026 at 10:00 UTC */
function time(at: Date): string {
  return `${TIME.format(at)} UTC`;
}

/** None without a value. */
function fact(label: string, value: string | undefined, link?: string): Fact[] {
  return value ? [[label, value, link]] : [];
}

function within(end: Date, now: Date): string {
  const days = Math.ceil((end.getTime() - now.getTime()) / DAY_MS);
  return days > 1 ? `in ${days} days` : 'within a day';
}
