/**
 * What a validation waits for, in this order: that the read it is part of is sent, the answer to it, the charge of the
 * rate limit, and the commit of the event where authentication failed.
 */
export const VALIDATION_PARTS = ['batch', 'postgresql', 'limits', 'record'] as const;
export type ValidationPart = (typeof VALIDATION_PARTS)[number];
