import type pg from 'pg';

/** Prepared under its name, so parsed once for each session. */
export type Statement = Pick<pg.QueryConfig, 'name' | 'text'>;

/** A statement whose columns we know, in their order. */
export interface TextStatement extends Statement {
  readonly columns: readonly string[];
}

/**
 * Reads each column as the text that PostgreSQL writes. pg's own queries ask for a description of the columns with every
 * answer, and convert by it: that costs pg and PostgreSQL more than the rest of a small read. pg calls the methods.
 */
export class TextRead<Row> implements pg.Submittable {
  /** Rejects with the error of PostgreSQL or of the connection. */
  readonly rows: Promise<readonly Row[]>;
  private readonly received: Row[] = [];
  private resolve!: (rows: readonly Row[]) => void;
  private reject!: (error: Error) => void;

  /** @param isPrepared whether the session knows the statement by its name */
  constructor(
    private readonly statement: TextStatement,
    private readonly values: string[],
    private readonly isPrepared: boolean,
  ) {
    this.rows = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  submit(connection: pg.Connection): void {
    const { name = '', text } = this.statement;
    // Corked, all messages travel in one packet.
    connection.stream.cork();
    if (!this.isPrepared) connection.parse({ name, text, types: [] }, true);
    connection.bind({ statement: name, values: this.values }, true);
    connection.execute({}, true);
    connection.sync();
    connection.stream.uncork();
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const row: Record<string, string | null> = {};
    this.statement.columns.forEach((column, index) => (row[column] = fields[index]!));
    this.received.push(row as Row);
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.reject(error);
  }

  handleReadyForQuery(): void {
    this.resolve(this.received);
  }
}
