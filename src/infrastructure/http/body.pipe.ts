import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance, type ClassConstructor } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import { invalidFields, LatchkeyError, type FieldError } from '../../domain/errors.js';

/** Turns a JSON body into its class, or throws one error that names every field that is wrong or unknown. */
@Injectable()
export class BodyPipe implements PipeTransform {
  async transform(body: unknown, { metatype, type }: ArgumentMetadata): Promise<unknown> {
    if (type !== 'body') return body;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new LatchkeyError('invalid_request', 'The body must be a JSON object');
    }
    // class-transformer drops this name silently; it is as unknown as any other.
    if (Object.hasOwn(body, '__proto__')) throw invalidFields([{ field: '__proto__', message: UNKNOWN }]);
    const value = plainToInstance(metatype as ClassConstructor<object>, body, { enableImplicitConversion: false });
    const errors = await validate(value, { whitelist: true, forbidNonWhitelisted: true, stopAtFirstError: true });
    if (errors.length > 0) throw invalidFields(errors.map(toFieldError));
    return value;
  }
}

const UNKNOWN = 'is not a known field';

function toFieldError({ property, constraints = {} }: ValidationError): FieldError {
  const message = 'whitelistValidation' in constraints ? UNKNOWN : Object.values(constraints)[0];
  return { field: property, message: message ?? 'is not valid' };
}
