import type { MailedType } from '#domain/notices/key-notice.js';
import { DAY_MS } from '#domain/time.js';

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

const yourKey = (service: ServiceKey | undefined) =>
  service?.isForManager ? 'An API key that you manage' : 'Your API key';
const oneOfYourKeys = (service: ServiceKey | undefined) =>
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

export function wordsOf(type: MailedType, occasion: Occasion): Words {
  const { title, ...words } = WORDS[type](occasion);
  const { keyName, prefix, service } = occasion;
  const account = service && `${service.name}${service.isForManager ? ', which you manage' : ''}`;
  const facts = [...fact('Account', account), ['Key', keyName], ['Begins with', prefix], ...words.facts] as const;
  return { ...words, subject: `${title}: ${keyName}`, heading: title, facts };
}

export const greetingFor = (displayName: string) => (displayName ? `Hello ${displayName},` : 'Hello,');
export const footerFor = (host: string, service: ServiceKey | undefined) =>
  `You get this mail because you ${service?.isForManager ? 'manage' : 'have'} API keys at ${host}.`;

type OwnWords = Omit<Words, 'subject' | 'heading'> & { readonly title: string };

const WORDS = {
  'api_key.created': (occasion): OwnWords =>
    occasion.replaces ? rotated(occasion, occasion.replaces) : created(occasion),
  'api_key.expiring': ({ expiresAt, isReplaced, now, service }): OwnWords => ({
    title: `${yourKey(service)} expires ${within(expiresAt, now)}`,
    happened: `${oneOfYourKeys(service)} expires ${within(expiresAt, now)}. After that, requests with it are refused.`,
    facts: [['Expires', time(expiresAt)]],
    advice: isReplaced
      ? [
          `${service ? 'It was rotated' : 'You have rotated it'}, but the new key has not been used yet. ` +
            'Replace the old key with it wherever the old one is used.',
        ]
      : [
          'To avoid an interruption, rotate it: you get a new key, and the old one keeps working for some time after the ' +
            'first use of the new one.',
          'If you no longer need the key, there is nothing to do.',
        ],
    link: isReplaced ? 'Show the key' : 'Rotate the key',
  }),
  'api_key.leaked': ({ at, leak, isReplaced, service }): OwnWords => ({
    title: `${yourKey(service)} leaked and was revoked`,
    happened: `${oneOfYourKeys(service)} was reported as leaked. It was revoked at once and can’t be used any more.`,
    facts: [['Revoked', time(at)], ...fact('Found by', leak?.source), ...fact('Found at', leak?.place, leak?.link)],
    advice: [
      isReplaced
        ? `${service ? 'It was rotated' : 'You have rotated it'}: use the new key in place of the old one.`
        : 'Create a new key and use it in place of the old one.',
      'Remove the old one from the place where others could read it, and check what it was used for.',
    ],
    link: 'See what the key was used for',
  }),
  'api_key.used_from_new_network': ({ at, clientIp, service }): OwnWords => ({
    title: `${yourKey(service)} was used from a new network`,
    happened: `${oneOfYourKeys(service)} was used from a network from which it had not been used in the last 90 days.`,
    facts: [...fact('Address', clientIp), ['Used', time(at)]],
    advice: [
      'If that was you, or one of your services after a move, there is nothing to do.',
      'If it was not, revoke the key now, and create a new one for the programs that need it.',
    ],
    link: 'Show the key',
  }),
  'api_key.idle': ({ expiresAt, endsAt = expiresAt, now, service }): OwnWords => ({
    title: `${yourKey(service)} ends ${within(endsAt, now)} unless it is used`,
    happened:
      `${oneOfYourKeys(service)} has not been used for a long time. It ends ${within(endsAt, now)} unless it is used ` +
      'before then. After that, requests with it are refused.',
    facts: [['Ends', time(endsAt)]],
    advice: [
      'If you still need the key, use it before then. One request with it is enough.',
      'If you no longer need the key, there is nothing to do.',
    ],
    link: 'Show the key',
  }),
} as const satisfies Record<MailedType, (occasion: Occasion) => OwnWords>;

const YOUR_PASSWORD = 'and change the password that you sign in with.';
const THEIR_PASSWORD = 'and ask them to change the password that they sign in with.';

function created({ at, clientIp, expiresAt, service }: Occasion): OwnWords {
  return {
    title: 'A new API key was created',
    happened: `A new API key was created for ${service?.isForManager ? 'an account that you manage' : 'your account'}.`,
    facts: [
      ['Created', time(at)],
      ...fact('Created by', service?.maker),
      ...fact('From the address', clientIp),
      ['Expires', time(expiresAt)],
    ],
    advice: service?.maker
      ? ['If this person created it, there is nothing to do.', `If not, revoke it now, ${THEIR_PASSWORD}`]
      : ['If you created it, there is nothing to do.', `If you did not, revoke it now, ${YOUR_PASSWORD}`],
    link: 'Show the key',
  };
}

function rotated({ at, clientIp, expiresAt, service }: Occasion, replaces: string): OwnWords {
  return {
    title: `${yourKey(service)} was rotated`,
    happened: `${oneOfYourKeys(service)} was rotated: a new key replaces it.`,
    facts: [
      ['Replaces', replaces],
      ['Rotated', time(at)],
      ...fact('Rotated by', service?.maker),
      ...fact('From the address', clientIp),
      ['Expires', time(expiresAt)],
    ],
    advice: service?.maker
      ? [
          'If this person rotated it, use the new key wherever the old one is used.',
          `If not, revoke the new key now, ${THEIR_PASSWORD}`,
        ]
      : [
          'If you rotated it, use the new key wherever the old one is used.',
          `If you did not, revoke the new key now, ${YOUR_PASSWORD}`,
        ],
    link: 'Show the new key',
  };
}
