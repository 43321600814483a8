import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { invalidFields, LatchkeyError, lengthProblem, optional, type Rule } from '#domain/errors.js';
import { withoutSecrets } from '#domain/secrets.js';

type Class = new () => Record<string, unknown>;

/** The rules of the fields of each class. */
const RULES = new WeakMap<object, ReadonlyMap<string, Rule>>();

/** A field of a body or a query: how it is checked, and how /openapi.json describes it. Optional if the rule allows that. */
export function Field(rule: Rule, schema: ApiPropertyOptions = {}): PropertyDecorator {
  const describe = rule(undefined) === undefined ? ApiPropertyOptional(schema) : ApiProperty(schema);
  return (prototype, field) => {
    describe(prototype, field);
    const before = RULES.get(prototype.constructor) ?? RULES.get(Object.getPrototypeOf(prototype.constructor)) ?? [];
    RULES.set(prototype.constructor, new Map([...before, [String(field), rule]]));
  };
}

/** Turns a JSON body or a query into its class, or throws one error that names every invalid field. */
@Injectable()
export class FieldsPipe implements PipeTransform {
  transform(given: unknown, { metatype, type }: ArgumentMetadata): unknown {
    const rules = metatype && RULES.get(metatype);
    if (!rules) return given;
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      throw new LatchkeyError('invalid_request', 'The body must be a JSON object');
    }
    const fields = new (metatype as Class)();
    for (const name of rules.keys()) {
      if (Object.hasOwn(given, name)) fields[name] = (given as Record<string, unknown>)[name];
    }
    // Unknown parameters of a query are ignored.
    const unknown = type === 'body' ? Object.keys(given).filter((name) => !rules.has(name)) : [];
    const errors = [
      ...[...rules].map(([field, rule]) => ({ field, message: rule(fields[field]) ?? '' })),
      ...unknown.map((name) => ({ field: withoutSecrets(name), message: 'is not a known field' })),
    ].filter(({ message }) => message !== '');
    if (errors.length > 0) throw invalidFields(errors);
    return fields;
  }
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

/** A rule for an optional parameter of a query, which is a list where the parameter is given more than once. */
export function once(
  rule: (value: string) => string | undefined = () => undefined,
  otherwise = 'must be given once',
): Rule {
  return optional((value) => (typeof value === 'string' ? rule(value) : otherwise));
}
