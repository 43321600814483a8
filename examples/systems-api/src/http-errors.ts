import type { ErrorRequestHandler, RequestHandler } from 'express';

/** A request that cannot be served, with the message for the client. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export const unknownPath: RequestHandler = () => {
  throw new HttpError(404, 'not found');
};

/** One shape for every error: ours, the body parser's and unexpected ones. */
export const answerError: ErrorRequestHandler = (error, _req, res, next) => {
  if (res.headersSent) return next(error);
  const { status, message } = error instanceof HttpError ? error : translate(error);
  res.status(status).json({ message });
};

const parserMessages = new Map([
  ['entity.parse.failed', 'the body is not valid JSON'],
  ['entity.too.large', 'the body is too large'],
]);

function translate(error: unknown): { status: number; message: string } {
  const { status, type = '' } = error as { status?: number; type?: string };
  if (status !== undefined && status >= 400 && status < 500) {
    return { status, message: parserMessages.get(type) ?? 'bad request' };
  }
  console.error(error);
  return { status: 500, message: 'internal error' };
}
