import type * as proto from '../generated/types.js';
import { type Arrived, codecOf, loadProto, serviceIn } from '../protos.js';

/** A question as decoded: absent fields are empty; enums are numbers, known or unknown. */
export interface WireQuestion extends Arrived, Omit<proto.ValidateKeyRequest__Output, 'operation' | 'leaseWish'> {
  readonly operation: number;
  /** The guard would hold a lease. */
  readonly leaseWish?: { readonly uses: number; readonly understands: readonly number[] } | null;
}

/** What a guard granted under leases. It has no answer but that it arrived. */
export interface WireReport {
  readonly uses: readonly {
    readonly credential?: 'apiKey' | 'authorization';
    readonly apiKey: string;
    readonly authorization: string;
    readonly clientIp: string;
    readonly count: number;
    readonly lastMsAgo: number;
    readonly permission?: string | null;
    readonly operation: number;
  }[];
}

/** A grant, and what the library writes as it is, after the other fields: permissions and attributes, see `grants`. */
export interface EncodedGrant extends proto.Grant {
  readonly $unknowns: readonly Buffer[];
}

export const VALIDATION_PROTO = 'latchkey/v1/api_key_service.proto';

const root = loadProto(VALIDATION_PROTO);
export const VALIDATION_SERVICE = serviceIn(root, 'latchkey.v1.ApiKeyService');
/** Encodes the lists of a grant, so that a list is encoded once and not for each answer. */
export const grants = codecOf<proto.Grant>(root.lookupType('latchkey.v1.Grant'));

/** The numbers of an enum's values, by our words. The generated type of an enum allows both names and numbers. */
export function numbersOf<Word extends string, Value extends string | number>(
  enumName: string,
  names: Readonly<Record<Word, Extract<Value, string>>>,
): Readonly<Record<Word, Extract<Value, number>>> {
  const { values } = root.lookupEnum(`latchkey.v1.${enumName}`);
  const numbers = Object.entries<string>(names).map(([word, name]) => [word, values[name]!]);
  return Object.fromEntries(numbers);
}

/** Our words for the numbers of an enum. Unspecified and unknown numbers have none. */
export function wordsOf<Word extends string>(numbers: Readonly<Record<Word, number>>): Readonly<Record<number, Word>> {
  return Object.fromEntries(Object.entries(numbers).map(([word, number]) => [number, word]));
}
