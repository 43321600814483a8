import { join } from 'node:path';
import { runCommand } from './command-line.js';

/** Makes a key and a certificate for this host, signed by itself, with openssl: `<name>.key` and `<name>.crt`. */
export async function selfSigned(folder: string, name: string, host = 'localhost') {
  const [keyFile, certFile] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  const files = ['-keyout', keyFile, '-out', certFile];
  await runCommand('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject, ...files]);
  return { keyFile, certFile };
}
