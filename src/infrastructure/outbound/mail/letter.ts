import type { Addressee } from '../../../application/notices/notify-owners.js';
import type { OutboxMessage } from '../../../application/notice-ports.js';
import type { ApiKey } from '../../../domain/keys/api-key.js';
import type { NoticeData } from '../../../domain/notices/key-notice.js';
import { withoutSecrets } from '../../../domain/secrets.js';
import { linkOfLeak } from '../../../domain/audit/event-details.js';
import type { Occasion, ServiceKey } from './occasion.js';
import { footer, greeting, type MailedType, type Words, wordsOf } from './words.js';

/** The text of one mail, with the parts that all mails share. */
export interface Letter extends Words {
  readonly greeting: string;
  /** The settings screen with the key opened. */
  readonly url: string;
  readonly footer: string;
}

export function writeLetter(
  type: MailedType,
  { data, timestamp }: Pick<OutboxMessage, 'data' | 'timestamp'>,
  { account, owner, maker, now, isReplaced, replaced }: Addressee,
  publicUrl: string,
): Letter {
  const { keyId, name, prefix, expiresAt, endsAt, leak } = data;
  const service = owner.kind === 'service' ? serviceKey({ account, owner, maker }) : undefined;
  // Managers do not see each other's addresses. That of a use is no manager's.
  const clientIp = type === 'api_key.created' && service?.maker !== undefined ? undefined : data.clientIp;
  const ends = { expiresAt: new Date(expiresAt), endsAt: endsAt === undefined ? undefined : new Date(endsAt) };
  const key = { keyName: typedText(name), prefix, ...ends, isReplaced, service };
  const circumstances = { clientIp, replaces: replaced && shownKey(replaced), leak: leak && shownLeak(leak) };
  return {
    ...wordsOf(type, { ...key, ...circumstances, at: timestamp, now }),
    greeting: greeting(typedText(account.displayName)),
    url: `${publicUrl}/settings/api-keys?${service ? `account=${encodeURIComponent(owner.id)}&` : ''}key=${keyId}`,
    footer: footer(new URL(publicUrl).host, service),
  };
}

export function letterText(letter: Letter): string {
  const { happened, facts, advice, link, url } = letter;
  const paragraphs = [
    letter.greeting,
    happened,
    facts.map(([label, value]) => `${label}: ${value}`).join('\n'),
    advice.join('\n'),
    `${link}:\n${url}`,
    // `-- ` is what mail programs recognize as the start of a signature.
    `-- \n${letter.footer}`,
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

function serviceKey({ account, owner, maker }: Pick<Addressee, 'account' | 'owner' | 'maker'>): ServiceKey {
  const nameOf = ({ id, displayName }: Addressee['maker']) => typedText(displayName) || id;
  const isOwnWork = maker.id === account.id;
  return {
    name: nameOf(owner),
    isForManager: account.id !== owner.id,
    maker: isOwnWork ? undefined : nameOf(maker),
  };
}

function shownKey(key: ApiKey): string {
  const { name } = key.snapshot();
  return `${key.shown} (${typedText(name)})`;
}

function shownLeak({ source, url }: NonNullable<NoticeData['leak']>): Occasion['leak'] {
  const place = url && typedText(url);
  return { source: source && typedText(source), place, link: linkOfLeak(place) };
}

/** Characters that change the text direction beyond the end of what was typed. */
const TURNING = /[\u202A-\u202E\u2066-\u2069]/g;
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** The start of what mail programs decode in a subject or a name (RFC 2047). */
const ENCODED = /=\?/g;

/** Text that a person typed, as one line that cannot affect the text around it. */
export function typedText(text: string): string {
  return withoutSecrets(text.replace(TURNING, '').replace(BREAKS, ' ').replace(ENCODED, '= ?')).trim();
}
