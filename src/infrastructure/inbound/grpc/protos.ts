import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

/** A method in the definition of a service. */
export function methodOf<Q, A>(path: string, requests: Codec<Q>, answers: Codec<A>, streams = false) {
  return {
    path,
    requestStream: streams,
    responseStream: streams,
    requestSerialize: requests.encode,
    requestDeserialize: requests.decode,
    responseSerialize: answers.encode,
    responseDeserialize: answers.decode,
  };
}

/** As a message of google.protobuf. */
export function timestamp(at: Date): { seconds: number; nanos: number } {
  const ms = at.getTime();
  return { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1_000_000 };
}
