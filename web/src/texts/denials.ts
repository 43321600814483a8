import type { DenialReason, FailedAuthenticationReason } from '../../../src/domain/keys/verdict.js';

/** @param asked a permission such as `systems:write`, or one of the operations */
type Sentence = (asked: string) => string;

/** Why a request with the right key was rejected. The compiler asks for the sentences of each reason. */
const DENIALS = {
  'missing-permission': {
    english: (asked) => `it lacks the permission ${asked}`,
    german: (asked) => `dem Schlüssel fehlt die Berechtigung: ${asked}`,
  },
  'read-only-key': {
    english: (asked) => `it is read-only, asked for ${asked}`,
    german: (asked) => `der Schlüssel darf nur lesen, verlangt war: ${asked}`,
  },
  'operation-not-allowed': { english: () => 'no key may do this', german: () => 'das darf kein Schlüssel' },
  'rate-limited': { english: () => 'too many requests', german: () => 'zu viele Anfragen' },
  'address-not-allowed': {
    english: () => 'this address is not allowed',
    german: () => 'diese Adresse ist nicht erlaubt',
  },
  revoked: { english: () => 'it was revoked', german: () => 'der Schlüssel war widerrufen' },
  expired: { english: () => 'it had expired', german: () => 'der Schlüssel war abgelaufen' },
  paused: { english: () => 'it was paused', german: () => 'der Schlüssel war pausiert' },
  'owner-suspended': { english: () => 'the account was stopped', german: () => 'das Konto war gestoppt' },
  'owner-deleted': { english: () => 'the account was stopped', german: () => 'das Konto war gestoppt' },
} satisfies Record<Exclude<DenialReason, 'invalid-key'>, Record<'english' | 'german', Sentence>>;

/** The same in the activity, for what is a failed authentication there. */
const REJECTIONS = {
  'invalid-key': { english: 'wrong secret', german: 'falsches Geheimnis' },
  revoked: { english: 'revoked', german: 'widerrufen' },
  expired: { english: 'expired', german: 'abgelaufen' },
  paused: { english: 'paused', german: 'pausiert' },
  'address-not-allowed': { english: 'address not allowed', german: 'Adresse nicht erlaubt' },
  'owner-suspended': { english: 'your account was suspended', german: 'Ihr Konto war gesperrt' },
  'owner-deleted': { english: 'your account was deleted', german: 'Ihr Konto war gelöscht' },
} satisfies Record<FailedAuthenticationReason, Record<'english' | 'german', string>>;

const REJECTED = { english: 'rejected', german: 'abgelehnt' };

/** Each takes the name of the key. */
export function rejections(language: 'english' | 'german') {
  const sentence = (words: string) => (name: string) => `${name} ${REJECTED[language]}: ${words}`;
  const sentences = Object.entries(REJECTIONS).map(([reason, words]) => [reason, sentence(words[language])] as const);
  return Object.fromEntries(sentences) as Readonly<Record<FailedAuthenticationReason, (name: string) => string>>;
}

export function denials(language: 'english' | 'german'): Readonly<Record<string, Sentence>> {
  return Object.fromEntries(Object.entries(DENIALS).map(([reason, sentences]) => [reason, sentences[language]]));
}
