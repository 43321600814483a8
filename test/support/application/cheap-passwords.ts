import argon2 from 'argon2';
import { Argon2Passwords } from '#infrastructure/outbound/passwords/argon2-passwords.js';
import { CHEAP_COST } from './cheap.mjs';

/**
 * Passwords that are checked almost at once, and in this process. In production, hashing has the lowest priority: next
 * to busy neighbours it would get no CPU time.
 */
export const cheapPasswords = () => new Argon2Passwords(argon2, { cost: CHEAP_COST });
