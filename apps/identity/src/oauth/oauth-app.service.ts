import type { OAuthAppStatus } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { OAuthAppRepository } from './oauth-app.repository.js';

/** What a publication and the operators decide about an app as a client. */
@Injectable()
export class OAuthAppService {
  constructor(
    private readonly database: Database,
    private readonly apps: OAuthAppRepository,
    private readonly revocations: RevocationService,
  ) {}

  /** Applies the redirect URIs of a published version. Requests under way are checked against them once more. */
  async update(appKey: string, redirectUris: readonly string[]): Promise<void> {
    await this.database.crossTenant((tx) => this.apps.upsert(tx, appKey, { redirectUris: [...redirectUris] }));
  }

  /** Revoking cuts off every token of the app within a second; the status, which is stored first, prevents new ones. */
  async setStatus(appKey: string, status: OAuthAppStatus): Promise<void> {
    await this.database.crossTenant((tx) => this.apps.upsert(tx, appKey, { status }));
    if (status !== 'revoked') return;
    await this.database.transaction(PLATFORM_TENANT, (tx) => this.revocations.record(tx, 'app', appKey));
    await this.revocations.publishPending();
  }
}
