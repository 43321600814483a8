import type { DenialReason } from '../../../src/domain/keys/verdict';

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

export function denials(language: 'english' | 'german'): Readonly<Record<string, Sentence>> {
  return Object.fromEntries(Object.entries(DENIALS).map(([reason, sentences]) => [reason, sentences[language]]));
}
