import type { ServiceProcess } from '../support/processes/service-process.js';

export const BURST = 10;
/** The slowest refill there is, so that charges stay during a test. */
export const TEN_AT_ONCE = { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: String(BURST) };

export const logged = ({ out }: ServiceProcess) => out.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []));
