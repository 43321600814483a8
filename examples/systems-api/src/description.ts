import { HttpError } from './http-errors.js';
import { type Description, type Environment, environments } from './inventory.js';

const fields = ['name', 'environment'];

/** Reads the body of a create. @throws {HttpError} 400, naming the field */
export function newDescription(body: unknown): Description {
  const { name, environment = 'development' } = changesIn(body);
  if (name === undefined) throw new HttpError(400, 'name is required');
  return { name, environment };
}

/** Reads the body of a change. @throws {HttpError} 400, naming the field */
export function changesIn(body: unknown): Partial<Description> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new HttpError(400, 'the body must be a JSON object, sent as application/json');
  }
  const given = Object.keys(body);
  const unknown = given.find((field) => !fields.includes(field));
  if (unknown !== undefined) throw new HttpError(400, `unknown field: only ${fields.join(' and ')} are allowed`);
  if (given.length === 0) throw new HttpError(400, `${fields.join(' or ')} is required`);
  const { name, environment } = body as Record<string, unknown>;
  return {
    ...(name !== undefined && { name: nameFrom(name) }),
    ...(environment !== undefined && { environment: environmentFrom(environment) }),
  };
}

function nameFrom(value: unknown): string {
  const name = typeof value === 'string' ? value.trim() : '';
  if (name.length < 1 || name.length > 64) throw new HttpError(400, 'name must be a string of 1 to 64 characters');
  return name;
}

function environmentFrom(value: unknown): Environment {
  const environment = environments.find((known) => known === value);
  if (!environment) throw new HttpError(400, `environment must be one of ${environments.join(', ')}`);
  return environment;
}
