/** A condition on a record row: SQL and its own parameters, numbered from the first one that was free. */
export interface RowCondition {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}
