import { isPrivateUrl } from './network-config.js';
import type { Settings } from './settings.js';

export type WebhookConfig = NonNullable<ReturnType<typeof readWebhook>>;

/** Each of the secrets signs every webhook, so that one can be replaced without a gap. */
export function readWebhook(settings: Settings) {
  const url = settings.get('WEBHOOK_URL');
  const secrets = settings.get('WEBHOOK_SECRET');
  if (url === undefined) {
    if (secrets) settings.missing('WEBHOOK_URL', 'with WEBHOOK_SECRET');
    return undefined;
  }
  const { username, password } = URL.canParse(url) ? new URL(url) : { username: '', password: '' };
  if (username || password) {
    settings.wrong('WEBHOOK_URL', 'must not contain a user or a password: the signature proves the sender');
  }
  if (/^http:/i.test(url) && URL.canParse(url) && !isPrivateUrl(url)) {
    settings.wrong(
      'WEBHOOK_URL',
      'must start with https:// where its host is public: names of keys would cross the Internet unencrypted',
    );
  }
  if (!secrets) settings.missing('WEBHOOK_SECRET', 'with WEBHOOK_URL');
  else if (secrets.length === 0) settings.wrong('WEBHOOK_SECRET', 'contains no secret');
  return { url, secrets: secrets ?? [] };
}
