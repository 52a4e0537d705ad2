import { rpc } from '@crm/contracts';
import type { ManifestOAuth } from '@crm/manifest';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';

/** An app as an OAuth client of every workspace: what a published version says of it. */
@Injectable()
export class PublishedClientService {
  constructor(private readonly rpc: Rpc) {}

  /**
   * Applies the redirect URIs of a version that was published. What it no longer lists cannot wait.
   * @param oauth undefined for a version that does not act for users: nobody can authorize it any more
   * @throws PlatformError SERVICE_UNAVAILABLE, DEADLINE_EXCEEDED
   */
  async follow(appKey: string, oauth: ManifestOAuth | undefined): Promise<void> {
    await this.rpc.call(rpc.identity.updateOAuthApp, { appKey, redirectUris: oauth?.redirectUris ?? [] });
  }
}
