// A process that makes gRPC calls over one HTTP/2 connection: `{ calls }` at once when told to, then says how they ended.
import { connect, constants } from 'node:http2';

const [port, path] = process.argv.slice(2);
const session = connect(`http://127.0.0.1:${port}`);
const request = {
  [constants.HTTP2_HEADER_METHOD]: 'POST',
  [constants.HTTP2_HEADER_PATH]: path,
  [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
  [constants.HTTP2_HEADER_TE]: 'trailers',
};
const EMPTY_MESSAGE = Buffer.alloc(5);

/** @returns {Promise<string>} its gRPC status */
const call = () =>
  new Promise((resolve, reject) => {
    const stream = session.request(request);
    let status = '';
    stream.on('trailers', (trailers) => (status = String(trailers['grpc-status'])));
    stream.on('close', () => resolve(status)).on('error', reject);
    stream.resume();
    stream.end(EMPTY_MESSAGE);
  });

process.on('message', async (/** @type {{ calls: number }} */ { calls }) => {
  process.send?.(await Promise.all(Array.from({ length: calls }, call)));
});
