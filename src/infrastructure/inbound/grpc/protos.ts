import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';

export const PROTO_ROOT = fileURLToPath(new URL('../../../../proto', import.meta.url));

/** The same as the generated types were made with. */
export const PROTO_OPTIONS = { longs: String, enums: String, defaults: true, oneofs: true, includeDirs: [PROTO_ROOT] };

/** A file of proto/ with all that it imports. */
export function loadProto(file: string): protobuf.Root {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => join(PROTO_ROOT, target);
  return root.loadSync(file);
}

/** Bytes from and to a message, without the conversions that proto-loader makes around the same library. */
interface Codec<Message> {
  encode(message: Message): Buffer;
  /** @throws the bytes are no such message */
  decode(bytes: Buffer): Message;
}

export function codecOf<Message extends object>(type: protobuf.Type): Codec<Message> {
  return {
    // The library's writer makes a Buffer where there are any.
    encode: (message) => type.encode(message).finish() as Buffer,
    decode: (bytes) => type.decode(new TolerantReader(bytes)) as unknown as Message,
  };
}

/**
 * Puts U+FFFD in place of bytes that are not UTF-8. The library refuses the whole message for them: a stream would end, with
 * all its questions, and Envoy may let a request through when its check ends in an error.
 */
class TolerantReader extends protobuf.BufferReader {
  override stringVerify(): string {
    return this.string();
  }
}
