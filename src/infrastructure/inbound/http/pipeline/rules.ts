import { ValidateBy } from 'class-validator';
import { lengthProblem, type Rule } from '../../../../domain/errors.js';

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

/** A rule for text, of a value that may be anything. */
export function text(rule: (value: string) => string | undefined): Rule {
  return (value) => {
    if (value === undefined) return 'is missing';
    return typeof value === 'string' ? rule(value) : 'must be text';
  };
}

/** A rule for text of one line that is stored: PostgreSQL takes no NUL in text. */
export function plainTextRule(maxLength: number): Rule {
  return text((value) => {
    const problem = lengthProblem(value, maxLength);
    return problem ?? (/\p{Cc}/u.test(value) ? 'must not contain control characters' : undefined);
  });
}
