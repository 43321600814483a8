/** A request refused for what HTTP itself says of it. The core never hears of it, so neither does the table of its errors. */
export class HttpRefusal extends Error {
  constructor(
    readonly http: number,
    readonly code: string,
    readonly title: string,
    message: string,
  ) {
    super(message);
    this.name = 'HttpRefusal';
  }
}
