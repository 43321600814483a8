import argon2 from 'argon2';
import { Argon2Passwords } from '../../../src/infrastructure/outbound/passwords/argon2-passwords.js';
import { CHEAP_COST } from './cheap.mjs';

/**
 * Passwords that are checked in no time, and in this process: at the lowest priority, as in production, they would get
 * no turn beside busy neighbours.
 */
export const cheapPasswords = () => new Argon2Passwords(argon2, { cost: CHEAP_COST });
