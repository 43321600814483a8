import type { Addressee } from '../../../application/notices/addressees.js';
import type { OutboxMessage } from '../../../application/notice-ports.js';
import { typedText } from './typed.js';
import { footer, greeting, type MailedType, type Words, wordsOf } from './words.js';

/** The words of one mail, and what is the same in all of them. */
export interface Letter extends Words {
  readonly greeting: string;
  /** The settings screen, with the key opened. */
  readonly url: string;
  readonly footer: string;
}

export function writeLetter(
  type: MailedType,
  { data, timestamp }: Pick<OutboxMessage, 'data' | 'timestamp'>,
  { account, now, isReplaced }: Addressee,
  publicUrl: string,
): Letter {
  const { keyId, name, prefix, expiresAt, clientIp } = data;
  const key = { keyName: typedText(name), prefix, expiresAt: new Date(expiresAt) };
  return {
    ...wordsOf(type, { ...key, clientIp, isReplaced, at: timestamp, now }),
    greeting: greeting(typedText(account.displayName)),
    url: `${publicUrl}/settings/api-keys?key=${keyId}`,
    footer: footer(new URL(publicUrl).host),
  };
}
