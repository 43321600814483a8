import { getMetadataStorage, validate, ValidateBy, type ValidationError } from 'class-validator';
import { applyDecorators, type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { type FieldError, invalidFields, LatchkeyError, lengthProblem, optional, type Rule } from '#domain/errors.js';
import { withoutSecrets } from '#domain/secrets.js';

/**
 * A field of a body or a query: how it is checked, and how /openapi.json describes it. Optional if the rule allows that.
 * @param read turns a valid text into the value of the field
 */
export function Field(
  rule: Rule,
  schema: ApiPropertyOptions = {},
  read?: (text: string) => unknown,
): PropertyDecorator {
  const check = ValidateBy({
    name: 'rule',
    validator: {
      validate: (value) => rule(value) === undefined,
      defaultMessage: (failed) => rule(failed?.value) ?? '',
    },
  });
  const describe = rule(undefined) === undefined ? ApiPropertyOptional(schema) : ApiProperty(schema);
  return applyDecorators(check, describe, Reflect.metadata(Field, read));
}

type Fields = Record<string, unknown>;

/** Turns a JSON body or a query into its class, or throws one error that names every invalid field. */
@Injectable()
export class FieldsPipe implements PipeTransform {
  async transform(given: unknown, { metatype, type }: ArgumentMetadata): Promise<unknown> {
    const known = metatype ? fieldsOf(metatype) : new Set<string>();
    if (known.size === 0) return given;
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      throw new LatchkeyError('invalid_request', 'The body must be a JSON object');
    }
    const value = new (metatype as new () => Fields)();
    for (const field of known) if (Object.hasOwn(given, field)) value[field] = (given as Fields)[field];
    const errors = (await validate(value, { stopAtFirstError: true })).map(toFieldError);
    // Unknown parameters of a query are ignored. class-validator would accept every property name of Object.prototype.
    const unknown = type === 'body' ? Object.keys(given).filter((field) => !known.has(field)) : [];
    errors.push(...unknown.map((field) => ({ field: withoutSecrets(field), message: 'is not a known field' })));
    if (errors.length > 0) throw invalidFields(errors);
    for (const field of known) {
      const read = Reflect.getMetadata(Field, value, field) as ((text: string) => unknown) | undefined;
      if (read && value[field] !== undefined) value[field] = read(value[field] as string);
    }
    return value;
  }
}

function fieldsOf(bodyOrQuery: NonNullable<ArgumentMetadata['metatype']>): Set<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(bodyOrQuery, '', false, false);
  return new Set(rules.map(({ propertyName }) => propertyName));
}

function toFieldError({ property, constraints = {} }: ValidationError): FieldError {
  return { field: property, message: Object.values(constraints)[0] ?? 'is not valid' };
}

/** Applies a rule for text to a value of any type. */
export function text(rule: (value: string) => string | undefined, otherwise = 'must be text'): Rule {
  return (value) => {
    if (value === undefined) return 'is missing';
    return typeof value === 'string' ? rule(value) : otherwise;
  };
}

/** A rule for one line of text that is stored. PostgreSQL accepts no NUL in text. */
export function plainTextRule(maxLength: number): Rule {
  return text((value) => {
    const problem = lengthProblem(value, maxLength);
    return problem ?? (/\p{Cc}/u.test(value) ? 'must not contain control characters' : undefined);
  });
}

/** A rule for an optional parameter of a query, which is a list where the parameter is given more than once. */
export function once(
  rule: (value: string) => string | undefined = () => undefined,
  otherwise = 'must be given once',
): Rule {
  return optional(text(rule, otherwise));
}
