import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { Answer } from '../callers/person.js';

interface Operation {
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: object }> }>;
}
type Schemas = Record<string, { properties?: object; additionalProperties?: boolean }>;
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Schemas };
}

/** /openapi.json, to check answers against. */
export class OpenApi {
  private readonly ajv = new Ajv({ strict: false, allErrors: true });
  private readonly operations: ReadonlyMap<string, Operation>;

  constructor(document: Document) {
    formats.default(this.ajv);
    const { schemas } = document.components;
    // An answer must not contain a field that the document does not name.
    for (const schema of Object.values(schemas)) if (schema.properties) schema.additionalProperties = false;
    this.ajv.addSchema({ $id: 'openapi', components: { schemas } });
    this.operations = new Map(
      Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
      ),
    );
  }

  /** As `POST /v1/session`. */
  get names(): string[] {
    return [...this.operations.keys()];
  }

  statusesOf(name: string): number[] {
    return Object.keys(this.operations.get(name)!.responses).map(Number);
  }

  /** The errors in an answer to this operation, or undefined. */
  problemOf(name: string, { status, headers, body }: Answer): string | undefined {
    const response = this.operations.get(name)!.responses[status];
    if (!response) return `${name} answered ${status}, which is not documented`;
    const type = headers.get('content-type')?.split(';', 1)[0];
    if (!response.content)
      return body === undefined ? undefined : `${name} ${status} has a body that is not documented`;
    const content = type && response.content[type];
    if (!content) return `${name} ${status} is of type ${type}, which is not documented`;
    const validate = this.validatorOf(content.schema);
    return validate(body) ? undefined : `${name} ${status}: ${this.ajv.errorsText(validate.errors)}`;
  }

  private validatorOf(schema: object): ValidateFunction {
    return this.ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')));
  }
}
