import { ValidateBy } from 'class-validator';
import { lengthProblem, type Rule } from '../../../../domain/errors.js';

/** A class-validator constraint that uses a rule's check and message. */
export function Follows(rule: Rule): PropertyDecorator {
  return ValidateBy({
    name: 'rule',
    validator: {
      validate: (value) => rule(value) === undefined,
      defaultMessage: (failed) => rule(failed?.value) ?? '',
    },
  });
}

/** Applies a rule for text to a value of any type. */
export function text(rule: (value: string) => string | undefined): Rule {
  return (value) => {
    if (value === undefined) return 'is missing';
    return typeof value === 'string' ? rule(value) : 'must be text';
  };
}

/** A rule for one line of text that is stored. PostgreSQL accepts no NUL in text. */
export function plainTextRule(maxLength: number): Rule {
  return text((value) => {
    const problem = lengthProblem(value, maxLength);
    return problem ?? (/\p{Cc}/u.test(value) ? 'must not contain control characters' : undefined);
  });
}
