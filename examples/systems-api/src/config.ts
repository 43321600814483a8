interface Config {
  readonly host: string;
  readonly port: number;
  readonly latchkeyTarget: string;
  readonly serviceToken: string;
}

/** Reads the environment. @throws {Error} one line for each bad or missing variable, without its value */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const problems: string[] = [];
  const portText = env.SYSTEMS_API_PORT || '4000';
  const port = /^\d{1,5}$/.test(portText) ? Number(portText) : Number.NaN;
  if (!(port <= 65_535)) problems.push('SYSTEMS_API_PORT must be a whole number from 0 to 65535');
  const serviceToken = env.LATCHKEY_SERVICE_TOKEN ?? '';
  if (!serviceToken)
    problems.push('LATCHKEY_SERVICE_TOKEN is missing: the token that identifies this service to Latchkey');
  else if (!/^[\x21-\x7e]+$/.test(serviceToken)) problems.push('LATCHKEY_SERVICE_TOKEN must be ASCII without spaces');
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return Object.freeze({
    host: env.HOST || '127.0.0.1',
    port,
    latchkeyTarget: env.LATCHKEY_GRPC_TARGET || '127.0.0.1:50051',
    serviceToken,
  });
}
