import { PrimaryColumn } from 'typeorm';

/** A row of a tenant. */
export abstract class TenantRow {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;
}

/** A row of a tenant with an id. */
export abstract class IdentifiedRow extends TenantRow {
  @PrimaryColumn({ type: 'uuid' })
  id: string;
}
