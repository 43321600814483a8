import { MAX_EXPIRY_DAYS } from '../../domain/keys/key-rules.js';
import type { EnvReader } from '../env-reader.js';

const NAME = 'EXPIRY_NOTICE_DAYS';
const DEFAULT = [30, 7, 1];

/** So many days before the expiry of a key its owner is told. None where the variable is set, and empty. */
export function readExpiryNoticeDays(reader: EnvReader): readonly number[] {
  if (reader.isSetEmpty('EXPIRY_NOTICE_DAYS')) return [];
  const days = reader.list('EXPIRY_NOTICE_DAYS', parseDays) ?? DEFAULT;
  if (new Set(days).size < days.length) reader.wrong(NAME, 'must name no number of days twice');
  return days;
}

function parseDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (days >= 1 && days < MAX_EXPIRY_DAYS) return days;
  throw new Error(`must be a whole number from 1 to ${MAX_EXPIRY_DAYS - 1}`);
}
