import type { MailedType } from '#domain/notices/key-notice.js';
import { DAY_MS } from '#domain/time.js';
import type { Occasion } from './occasion.js';

type Fact = readonly [label: string, value: string, link?: string | undefined];

const yourKey = (service: Occasion['service']) =>
  service?.isForManager ? 'An API key that you manage' : 'Your API key';
const oneOfYourKeys = (service: Occasion['service']) =>
  service?.isForManager ? 'One of the API keys that you manage' : 'One of your API keys';

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** 22 November 2026 at 10:00 UTC */
function time(at: Date): string {
  return `${TIME.format(at)} UTC`;
}

/** None without a value. */
export function fact(label: string, value: string | undefined, link?: string): Fact[] {
  return value ? [[label, value, link]] : [];
}

function within(end: Date, now: Date): string {
  const days = Math.ceil((end.getTime() - now.getTime()) / DAY_MS);
  return days > 1 ? `in ${days} days` : 'within a day';
}

/** What one mail says. Nothing in it but the facts was typed by people. */
interface Words {
  readonly title: string;
  readonly happened: string;
  readonly facts: readonly Fact[];
  readonly advice: readonly string[];
  /** The label of the link to the key. */
  readonly link: string;
}

export const WORDS: Readonly<Record<MailedType, (occasion: Occasion) => Words>> = {
  'api_key.created': (occasion) => (occasion.replaces ? rotated(occasion, occasion.replaces) : created(occasion)),
  'api_key.expiring': ({ expiresAt, isReplaced, now, service }) => ({
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
  'api_key.leaked': ({ at, leak, isReplaced, service }) => ({
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
  'api_key.used_from_new_network': ({ at, clientIp, service }) => ({
    title: `${yourKey(service)} was used from a new network`,
    happened: `${oneOfYourKeys(service)} was used from a network from which it had not been used in the last 90 days.`,
    facts: [...fact('Address', clientIp), ['Used', time(at)]],
    advice: [
      'If that was you, or one of your services after a move, there is nothing to do.',
      'If it was not, revoke the key now, and create a new one for the programs that need it.',
    ],
    link: 'Show the key',
  }),
  'api_key.idle': ({ expiresAt, endsAt = expiresAt, now, service }) => ({
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
};

const YOUR_PASSWORD = 'and change the password that you sign in with.';
const THEIR_PASSWORD = 'and ask them to change the password that they sign in with.';

function created({ at, clientIp, expiresAt, service }: Occasion): Words {
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

function rotated({ at, clientIp, expiresAt, service }: Occasion, replaces: string): Words {
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
