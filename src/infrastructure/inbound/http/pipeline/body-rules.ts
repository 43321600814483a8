import { getMetadataStorage, validate, ValidateBy, type ValidationError } from 'class-validator';
import { type FieldError, invalidFields, LatchkeyError, lengthProblem, type Rule } from '../../../../domain/errors.js';
import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { withoutSecrets } from '../../../../domain/secrets.js';

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

type Fields = Record<string, unknown>;

/** Turns a JSON body into its class, or throws one error that names every invalid or unknown field. */
@Injectable()
export class BodyPipe implements PipeTransform {
  async transform(body: unknown, { metatype, type }: ArgumentMetadata): Promise<unknown> {
    if (type !== 'body') return body;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new LatchkeyError('invalid_request', 'The body must be a JSON object');
    }
    const value = new (metatype as new () => Fields)();
    const known = fieldsOf(metatype!);
    for (const field of known) if (Object.hasOwn(body, field)) value[field] = (body as Fields)[field];
    const errors = (await validate(value, { stopAtFirstError: true })).map(toFieldError);
    // class-validator would accept every property name of Object.prototype, such as `constructor` and `toString`.
    const unknown = Object.keys(body).filter((field) => !known.has(field));
    errors.push(...unknown.map((field) => ({ field: withoutSecrets(field), message: 'is not a known field' })));
    if (errors.length > 0) throw invalidFields(errors);
    return value;
  }
}

function fieldsOf(bodyClass: NonNullable<ArgumentMetadata['metatype']>): Set<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(bodyClass, '', false, false);
  return new Set(rules.map(({ propertyName }) => propertyName));
}

function toFieldError({ property, constraints = {} }: ValidationError): FieldError {
  return { field: property, message: Object.values(constraints)[0] ?? 'is not valid' };
}
