import type { Enum, Field, ReflectionObject, Type } from 'protobufjs';
import { expect, test } from '@jest/globals';
import { loadProto } from '#infrastructure/inbound/grpc/protos.js';
import { envoyApi } from './support/envoy-api.js';

const FILE = 'envoy/service/auth/v3/external_auth.proto';
const ours = loadProto(FILE).resolveAll();
const theirs = envoyApi([FILE], { camelCase: true });

function everyObject(inside: ReflectionObject): ReflectionObject[] {
  return [inside, ...((inside as Type).nestedArray ?? []).flatMap(everyObject)];
}

const isType = (object: ReflectionObject): object is Type => 'fieldsArray' in object;
/** The fields and values on the wire, under the names of both sides. */
const wireOf = ({ id, repeated, map, type, resolvedType }: Field) => ({
  id,
  many: repeated || map,
  type: map || resolvedType?.name === 'Entry' ? 'map<string, string>' : (resolvedType?.fullName ?? type),
});
const FIELDS = everyObject(ours)
  .filter(isType)
  .filter(({ name }) => name !== 'Entry')
  .flatMap(({ fullName, fieldsArray }) => fieldsArray.map((field) => ({ fullName, field, name: field.name })));
const ENUMS = everyObject(ours).filter((object): object is Enum => 'values' in object);

test('our proto file has fields and enums to compare', () =>
  expect([FIELDS.length > 20, ENUMS.length]).toEqual([true, 2]));

test.each(FIELDS)("$fullName.$name has the number and type of Envoy's field", ({ fullName, field, name }) => {
  expect(wireOf(field)).toEqual(wireOf(theirs.lookupType(fullName).fields[name]!.resolve()));
});

test.each(ENUMS)("$fullName has the numbers of Envoy's enum", ({ fullName, values }) => {
  expect(theirs.lookupEnum(fullName).values).toMatchObject(values);
});

test("the method has the name and types of Envoy's method", () => {
  const check = ({ root }: ReflectionObject) => {
    const { Check } = root!.lookupService('envoy.service.auth.v3.Authorization').methods;
    const { resolvedRequestType, resolvedResponseType, requestStream, responseStream } = Check!;
    return [resolvedRequestType?.fullName, resolvedResponseType?.fullName, requestStream, responseStream];
  };
  expect(check(ours)[0]).toBe('.envoy.service.auth.v3.CheckRequest');
  expect(check(ours)).toEqual(check(theirs));
});
