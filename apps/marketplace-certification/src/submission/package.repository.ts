import { Database, type NarrowTransaction } from '@crm/database';
import type { Manifest } from '@crm/manifest';
import { Injectable } from '@nestjs/common';

/** Packages as they were submitted. A version's package never changes. */
@Injectable()
export class PackageRepository {
  constructor(private readonly database: Database) {}

  /** The package of a version that passed certification, which is why its shape can be relied on. */
  manifestOf(versionId: string): Promise<Manifest> {
    return this.database.crossTenant((tx) => this.read(tx, versionId));
  }

  async read(tx: NarrowTransaction, versionId: string): Promise<Manifest> {
    const [row] = await tx.query<{ manifest: Manifest }>('select manifest from app_version where id = $1', [versionId]);
    if (!row) throw new Error(`There is no version ${versionId}`);
    return row.manifest;
  }
}
