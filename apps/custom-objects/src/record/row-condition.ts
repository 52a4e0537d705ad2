/** A condition on a record row: SQL with `$n` of its own parameters, numbered from where its maker was told to begin. */
export interface RowCondition {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}
