/** A column with boxes, as its service seals them. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The primary key, without tenant_id. */
  readonly key: { readonly column: string; readonly type: 'uuid' | 'text' };
  /**
   * Who reaches the rows: the runtime role in the context of their tenant, of which the narrow role must be able to select
   * `tenant_id`; or, in a global table, the narrow role.
   */
  readonly reach: 'tenant' | 'global';
  /** What the box of a row is bound to. `tenantId` is empty in a global table. */
  place(row: { readonly key: string; readonly tenantId: string }): string;
}

export const nameOf = ({ table, column }: SealedColumn): string => `${table}.${column}`;
