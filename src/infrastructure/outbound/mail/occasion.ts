import type { Addressee } from '#application/notices/notify-owners.js';
import type { OutboxMessage } from '#application/notice-ports.js';
import { linkOfLeak } from '#domain/audit/event-details.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import type { MailedType, NoticeData } from '#domain/notices/key-notice.js';
import { withoutSecrets } from '#domain/secrets.js';

export type Occasion = ReturnType<typeof occasionOf>;

/** What a mail is about. */
export function occasionOf(
  type: MailedType,
  { data, timestamp }: Pick<OutboxMessage, 'data' | 'timestamp'>,
  addressee: Addressee,
) {
  const { name, prefix, expiresAt, endsAt, leak } = data;
  const { now, isReplaced, replaced } = addressee;
  const service = addressee.owner.kind === 'service' ? serviceKey(addressee) : undefined;
  return {
    keyName: typedText(name),
    prefix,
    expiresAt: new Date(expiresAt),
    /** When an idle key ends unless it is used. */
    endsAt: endsAt === undefined ? undefined : new Date(endsAt),
    // Managers do not see each other's addresses. That of a use is no manager's.
    clientIp: type === 'api_key.created' && service?.maker !== undefined ? undefined : data.clientIp,
    /** Whether the key has a successor that has not been used yet. */
    isReplaced,
    /** Undefined: the key is a person's own. */
    service,
    /** The key that it replaces. */
    replaces: replaced && shownKey(replaced),
    leak: leak && shownLeak(leak),
    at: timestamp,
    /** When the mail is written. */
    now,
  };
}

function serviceKey({ account, owner, maker }: Addressee) {
  const nameOf = ({ id, displayName }: Addressee['maker']) => typedText(displayName) || id;
  return {
    /** The service account's name. */
    name: nameOf(owner),
    /** Whether the mail goes to one of its managers, and not to its own address. */
    isForManager: account.id !== owner.id,
    /** Who made the key, if that is another person than the reader. */
    maker: maker.id === account.id ? undefined : nameOf(maker),
  };
}

function shownKey(key: ApiKey): string {
  const { name } = key.snapshot();
  return `${key.shown} (${typedText(name)})`;
}

/** Who found a leaked key, where, and the same place as a link if it can be one. */
function shownLeak({ source, url }: NonNullable<NoticeData['leak']>) {
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
