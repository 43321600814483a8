import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase } from '../support/stores/databases.mjs';
import { eventually } from '../support/eventually.js';
import { answer, bearer, connectClients, type Clients } from '../support/callers/grpc-clients.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { type OtlpReceiver, startOtlpReceiver, type ReceivedSpan } from '../support/platform/otlp-receiver.js';
import { Person } from '../support/callers/person.js';
import { ValidationStream } from '../support/callers/validation-stream.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';

const hexDigits = (digit: string, count: number) => digit.repeat(count);
const traceparent = (trace: string, parent: string, flags = '01') =>
  `00-${hexDigits(trace, 32)}-${hexDigits(parent, 16)}-${flags}`;

describe('tracing to OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let receiver: OtlpReceiver;
  let service: ServiceProcess;
  let clients: Clients;
  let fullKey: string;
  beforeAll(async () => {
    await buildService();
    [database, receiver] = await Promise.all([createDatabase(), startOtlpReceiver()]);
    service = await ServiceProcess.startReady({
      DATABASE_URL: database.url,
      OTEL_SERVICE_NAME: 'keys',
      LEASE_MS: '1000',
      ...receiver.env,
    });
    clients = connectClients(service.target);
    fullKey = (await (await new Person(service.url).signIn()).newKey()).fullKey;
  });
  afterAll(async () => {
    clients.close();
    await ServiceProcess.killTheRest();
    await Promise.all([receiver.stop(), database.drop()]);
  });

  const found = (matches: (span: ReceivedSpan) => boolean) => eventually(async () => receiver.spans().find(matches));
  const validate = (key: string, header: string) => {
    const metadata = bearer('dev-validator-token');
    metadata.set('traceparent', header);
    return answer((done) => clients.apiKeys.validateKey({ apiKey: key, operation: 'OPERATION_READ' }, metadata, done));
  };

  test('continues the trace of a caller, with the read of PostgreSQL below the call', async () => {
    await validate(fullKey, traceparent('a', 'b'));
    const call = await found(
      ({ traceId, name }) => traceId === hexDigits('a', 32) && name === 'ApiKeyService/ValidateKey',
    );
    expect(call).toMatchObject({ parentSpanId: hexDigits('b', 16), kind: 2 });
    expect(call.attributes).toEqual([{ key: 'outcome', value: { stringValue: 'ok' } }]);
    const read = await found(
      ({ name, parentSpanId }) => name === 'postgresql read_keys' && parentSpanId === call.spanId,
    );
    expect(read).toMatchObject({ traceId: call.traceId, kind: 3 });
    expect(receiver.serviceNames()).toEqual(['keys']);
  });

  test('has the commit of a denial below its call', async () => {
    await validate(unknownKey(), traceparent('c', 'd'));
    const commit = await found(
      ({ traceId, name }) => traceId === hexDigits('c', 32) && name === 'postgresql record_failures',
    );
    expect(commit.attributes).toContainEqual({ key: 'db.operation.batch.size', value: { intValue: 1 } });
  });

  test('has a batch in the trace of its first validation, with links to the others', async () => {
    // They are written to one stream together, so they arrive together.
    const stream = new ValidationStream(clients);
    await Promise.all(
      Array.from({ length: 20 }, () => stream.validate({ apiKey: fullKey, operation: 'OPERATION_READ' })),
    );
    stream.close();
    const batch = await found(({ name, links }) => name === 'postgresql read_keys' && (links?.length ?? 0) > 0);
    const first = await found(({ spanId }) => spanId === batch.parentSpanId);
    expect(first.name).toBe('ApiKeyService/ValidateKeys');
    expect(first.parentSpanId).toBeUndefined();
    for (const { spanId } of batch.links!) await found((span) => span.spanId === spanId && span.name === first.name);
  });

  test('names the span of an HTTP request by its route, in the trace of the caller', async () => {
    const person = new Person(service.url);
    const headers = { traceparent: traceparent('e', 'f'), tracestate: 'vendor=anything', baggage: 'user=anyone' };
    await person.call('POST', '/v1/api-keys/anything/revoke', undefined, headers);
    const request = await found(({ traceId }) => traceId === hexDigits('e', 32));
    expect(request).toMatchObject({ name: 'POST /v1/api-keys/:id/revoke', parentSpanId: hexDigits('f', 16), kind: 2 });
    expect(request.attributes).toEqual([{ key: 'outcome', value: { stringValue: 'refused' } }]);
    expect(receiver.received.join()).not.toMatch(/anything|anyone/);
  });

  test('sends no trace that the caller does not sample, and ignores a malformed one', async () => {
    await validate(fullKey, traceparent('1', '2', '00'));
    await validate(fullKey, `${traceparent('3', '4').slice(0, -5)}x-01`);
    await validate(fullKey, traceparent('5', '6'));
    await found(({ traceId }) => traceId === hexDigits('5', 32));
    expect(
      receiver.spans().filter(({ traceId }) => [hexDigits('1', 32), hexDigits('3', 32)].includes(traceId)),
    ).toEqual([]);
  });

  test('sends the last spans before the service ends on SIGTERM', async () => {
    await validate(fullKey, traceparent('7', '8'));
    service.child.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, err: '' });
    expect(receiver.spans().some(({ traceId }) => traceId === hexDigits('7', 32))).toBe(true);
  });
});
