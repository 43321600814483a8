import type { Metadata } from '@grpc/grpc-js';

/**
 * The service's own window (burst / rate) in whole seconds. It counts for every key whose account has no rate and burst
 * of its own, so the service sends it once, in the initial metadata of a call or a stream, and not in each answer.
 */
export function windowSecondsIn(metadata: Metadata): number | undefined {
  const [text] = metadata.get('latchkey-ratelimit-window');
  return typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
