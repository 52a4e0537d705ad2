/** A condition on a record row: SQL and its own parameters, numbered from the first one that was free. */
export interface RowCondition {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** The field by which records are selected, when no index has it: each record is looked at. */
  readonly unindexedField?: string;
}
