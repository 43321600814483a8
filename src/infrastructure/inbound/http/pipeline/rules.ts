import { ValidateBy } from 'class-validator';
import type { Rule } from '../../../../domain/errors.js';

/** A class-validator constraint whose verdict and message are a rule's. */
export function Follows(rule: Rule): PropertyDecorator {
  return ValidateBy({
    name: 'rule',
    validator: {
      validate: (value) => rule(value) === undefined,
      defaultMessage: (failed) => rule(failed?.value) ?? '',
    },
  });
}

/** Absent is fine; null is not absent. */
export function optional(rule: Rule): Rule {
  return (value) => (value === undefined ? undefined : rule(value));
}

export function textProblem(maxLength: number): Rule {
  return (value) => {
    if (value === undefined) return 'is missing';
    if (typeof value !== 'string') return 'must be text';
    return value.length >= 1 && value.length <= maxLength ? undefined : `must be 1 to ${maxLength} characters`;
  };
}
