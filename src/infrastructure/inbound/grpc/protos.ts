import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

export const PROTO_ROOT = fileURLToPath(new URL('../../../../proto', import.meta.url));

/** The options that the generated types were made with. */
export const PROTO_OPTIONS = { longs: String, enums: String, defaults: true, oneofs: true, includeDirs: [PROTO_ROOT] };

/** A file of proto/ with all its imports. */
export function loadProto(file: string): protobuf.Root {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => join(PROTO_ROOT, target);
  return root.loadSync(file);
}

/** Decodes and encodes a message with proto-loader's library, without proto-loader's conversions. */
interface Codec<Message> {
  encode(message: Message): Buffer;
  /** @throws the bytes are not a message of this type */
  decode(bytes: Buffer): Message;
}

export function codecOf<Message extends object>(type: protobuf.Type): Codec<Message> {
  // One writer for all messages, so that its buffer need not grow again for each.
  const writer = protobuf.Writer.create();
  const empty = () => {
    // A message that could not be encoded may have left several levels, and each call leaves one of them.
    while (writer.pos > 0) writer.reset();
    return writer;
  };
  return {
    // In Node.js, the library's writer returns a Buffer.
    encode: (message) => type.encode(message, empty()).finish() as Buffer,
    decode: (bytes) => type.decode(new TolerantReader(bytes)) as unknown as Message,
  };
}

/**
 * Replaces bytes that are not UTF-8 with U+FFFD. The library would reject the whole message: a stream would end with
 * all its questions, and Envoy may let a request through when its check ends in an error.
 */
class TolerantReader extends protobuf.BufferReader {
  override stringVerify(): string {
    return this.string();
  }
}

/** A request as decoded. */
export interface Arrived {
  /** When it was read from the connection, by performance.now(). On a busy stream it is handled much later. */
  arrivedAt: number;
}

/** The definition of a service, with these codecs. */
export function serviceIn(root: protobuf.Root, service: string): ServiceDefinition<UntypedServiceImplementation> {
  const methods = root.lookupService(service).methodsArray.map((method) => {
    method.resolve();
    const requests = codecOf<Arrived>(method.resolvedRequestType!);
    const answers = codecOf(method.resolvedResponseType!);
    const definition = {
      path: `/${service}/${method.name}`,
      requestStream: method.requestStream ?? false,
      responseStream: method.responseStream ?? false,
      requestSerialize: requests.encode,
      requestDeserialize: (bytes: Buffer) => {
        const request = requests.decode(bytes);
        request.arrivedAt = performance.now();
        return request;
      },
      responseSerialize: answers.encode,
      responseDeserialize: answers.decode,
    };
    return [method.name, definition] as const;
  });
  return Object.fromEntries(methods);
}

type WithUnderscores<Word extends string> = Word extends `${infer Head}-${infer Tail}`
  ? `${Head}_${WithUnderscores<Tail>}`
  : Word;

/** What an enum of proto/ calls our words: ACCESS_LEVEL_READ_ONLY for `read-only`. */
export function wireNames<Prefix extends string, Word extends string>(prefix: Prefix, words: readonly Word[]) {
  const names = words.map((word) => [word, `${prefix}_${word.toUpperCase().replaceAll('-', '_')}`]);
  return Object.fromEntries(names) as { readonly [Each in Word]: `${Prefix}_${Uppercase<WithUnderscores<Each>>}` };
}

/** As a message of google.protobuf. */
export function timestamp(at: Date): { seconds: number; nanos: number } {
  const ms = at.getTime();
  return { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1_000_000 };
}
