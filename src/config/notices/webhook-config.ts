import { createSecretKey, type KeyObject } from 'node:crypto';
import type { EnvReader } from '../env-reader.js';
import { isPrivateUrl } from '../network-config.js';

/** Where webhooks are sent, and the secrets that sign them. */
export interface WebhookConfig {
  readonly url: string;
  /** At least one. Each of them signs every webhook, so that a secret can be replaced without a gap. */
  readonly secrets: readonly KeyObject[];
}

export function readWebhook(reader: EnvReader): WebhookConfig | undefined {
  const url = reader.url('WEBHOOK_URL', ['http:', 'https:']);
  const secrets = reader.list('WEBHOOK_SECRET', parseWebhookSecret);
  if (url === undefined) {
    if (secrets) reader.missing('WEBHOOK_URL', 'with WEBHOOK_SECRET');
    return undefined;
  }
  if (hasCredentials(url))
    reader.wrong('WEBHOOK_URL', 'must not contain a user or a password: the signature proves the sender');
  if (/^http:/i.test(url) && URL.canParse(url) && !isPrivateUrl(url)) {
    reader.wrong(
      'WEBHOOK_URL',
      'must start with https:// where its host is public: names of keys would cross the Internet unencrypted',
    );
  }
  if (!secrets) reader.missing('WEBHOOK_SECRET', 'with WEBHOOK_URL');
  else if (secrets.length === 0) reader.wrong('WEBHOOK_SECRET', 'contains no secret');
  return { url, secrets: secrets ?? [] };
}

/** In the format of Standard Webhooks. */
function parseWebhookSecret(text: string): KeyObject {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  const bytes = Buffer.from(base64 ?? '', 'base64');
  if (bytes.length >= 24 && bytes.length <= 64) return createSecretKey(bytes);
  throw new Error(
    'must be whsec_ and 24 to 64 random bytes in base64, as from `echo "whsec_$(openssl rand -base64 32)"`',
  );
}

function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
