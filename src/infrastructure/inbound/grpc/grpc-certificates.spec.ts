import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { selfSigned } from '#test/support/processes/certificate.js';
import { eventually } from '#test/support/eventually.js';
import { GrpcCertificates } from './grpc-certificates.js';

const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function pair(name: string) {
  const files = await selfSigned(folder, name);
  return { ...files, clientCaFile: files.certFile };
}

describe('the certificate of the gRPC server', () => {
  test('is refused at the start if the files do not work together, with the variable', async () => {
    const [one, two] = [await pair('one'), await pair('two')];
    const text = join(folder, 'text');
    writeFileSync(text, 'hello');
    const log = { warn: () => {}, info: () => {} };
    const start = (files: object) => () => new GrpcCertificates({ ...one, ...files }, log);
    expect(start({ keyFile: two.keyFile })).toThrow('GRPC_TLS_KEY does not fit the certificate in GRPC_TLS_CERT');
    expect(start({ certFile: text })).toThrow('GRPC_TLS_CERT has no certificate in PEM');
    expect(start({ keyFile: text })).toThrow('GRPC_TLS_KEY has no private key in PEM');
    expect(start({ clientCaFile: text })).toThrow('GRPC_TLS_CLIENT_CA has no certificate in PEM');
    start({})().close();
  });

  test('stays the earlier one while only one file of a renewal is written, with one warning', async () => {
    const [old, renewed] = [await pair('old'), await pair('new')];
    const [before, after] = [readFileSync(old.certFile), readFileSync(renewed.certFile)];
    const logged: string[] = [];
    const note = (message: string) => void logged.push(message);
    const certificates = new GrpcCertificates({ ...old, clientCaFile: undefined }, { warn: note, info: note }, 5);
    const seen = [certificates.current.cert as Buffer];
    certificates.renewFor({ setSecureContext: ({ cert }) => void seen.push(cert as Buffer) });
    copyFileSync(renewed.certFile, old.certFile);
    await eventually(async () => logged.length > 0);
    copyFileSync(renewed.keyFile, old.keyFile);
    await eventually(async () => seen.at(-1)?.equals(after));
    certificates.close();
    expect(seen.every((each) => each.equals(before) || each.equals(after))).toBe(true);
    expect(logged).toEqual(['TLS keeps its earlier certificate until the files fit', 'TLS has its new certificate']);
  });
});
