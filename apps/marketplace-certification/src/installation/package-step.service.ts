import { coversScope, type ProvisionedHook, rpc } from '@crm/contracts';
import type { Manifest } from '@crm/manifest';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { WebhookSecretService } from '../credentials/webhook-secret.service.js';
import { grantedWebhooks } from './grants.js';
import type { Installation, StepName } from './installation.entity.js';
import type { RemovedInstallation, StepResult } from './installation.repository.js';
import { OAuthClientService } from './oauth-client.service.js';

interface StepContext {
  readonly installation: Installation;
  readonly manifest: Manifest;
  readonly token: string;
}

export interface StepOutcome {
  readonly result: StepResult;
  /** With their addresses; returned to the installing administrator and not stored here. */
  readonly hooks?: readonly ProvisionedHook[];
}

/** Provisions the parts of a package at the services that own them, and removes them again. Each call is idempotent. */
@Injectable()
export class PackageStepService {
  constructor(
    private readonly rpc: Rpc,
    private readonly secrets: WebhookSecretService,
    private readonly clients: OAuthClientService,
  ) {}

  /** @throws PlatformError of the owning service */
  async provision(step: StepName, installation: Installation, manifest: Manifest): Promise<StepOutcome> {
    const context = { installation, manifest, token: await this.mintToken(installation) };
    switch (step) {
      case 'objects':
        return this.provisionObjects(context);
      case 'workflows':
        return this.provisionWorkflows(context);
      case 'subscriptions':
        return this.provisionSubscriptions(context);
      case 'authorization':
        await this.clients.register(installation, manifest);
        return { result: {} };
    }
  }

  /**
   * Called on behalf of this service. An administrator had the right to begin; whether the removal or the undo is finished
   * cannot depend on anyone having that right still, or half of an app would stay and nobody could remove it.
   * @param discard also deletes what the tenant stored in the objects, and tells the app nothing: an installation failed
   * @throws PlatformError of the owning service
   */
  async undo(step: StepName, removed: RemovedInstallation, discard: boolean): Promise<void> {
    const { tenantId, installationId } = removed;
    switch (step) {
      case 'objects':
        await this.rpc.call(rpc.customObjects.removeObjects, { tenantId, installationId, discard });
        return;
      case 'workflows':
        await this.rpc.call(rpc.automations.removeWorkflows, { tenantId, installationId });
        return;
      case 'subscriptions':
        await this.rpc.call(rpc.webhooks.removeSubscriptions, { tenantId, installationId, discard });
        return;
      case 'authorization':
        await this.clients.end(removed, discard);
        return;
    }
  }

  /**
   * Ends the tokens of an installation that is removed, before anything that they reach. Also for an app that does not act for
   * users: it may have credentials.
   */
  async endTokens(request: RemovedInstallation): Promise<void> {
    await this.clients.end(request, false);
  }

  /**
   * The token of the request may expire or be revoked before the work is done, so each call gets an internal one (60 s) with the
   * roles that the acting user has at that moment: a user who may no longer install brings nothing more into the tenant.
   * Removing needs no token.
   */
  private async mintToken({ tenantId, actingUserId, createdBy }: Installation): Promise<string> {
    const userId = actingUserId ?? createdBy;
    return (await this.rpc.call(rpc.identity.mintInternalToken, { tenantId, userId })).token;
  }

  private async provisionObjects({ installation, manifest, token }: StepContext): Promise<StepOutcome> {
    const { objects } = await this.rpc.call(
      rpc.customObjects.provisionObjects,
      {
        installationId: installation.id,
        appKey: installation.appKey,
        sandbox: installation.sandbox,
        objects: asJsonObjects(manifest.objects ?? []),
      },
      { token },
    );
    return { result: { objects } };
  }

  private async provisionWorkflows({ installation, manifest, token }: StepContext): Promise<StepOutcome> {
    const { hooks } = await this.rpc.call(
      rpc.automations.provisionWorkflows,
      {
        installationId: installation.id,
        appKey: installation.appKey,
        sandbox: installation.sandbox,
        grantedScopes: installation.grantedScopes,
        objectNames: Object.fromEntries(installation.objects.map((object) => [object.declaredApiName, object.apiName])),
        automations: asJsonObjects(manifest.automations ?? []),
      },
      { token },
    );
    return { result: { hooks: hooks.map(({ key, workflowId }) => ({ key, workflowId })) }, hooks };
  }

  private async provisionSubscriptions({ installation, manifest, token }: StepContext): Promise<StepOutcome> {
    const { subscriptions } = await this.rpc.call(
      rpc.webhooks.provisionSubscriptions,
      {
        installationId: installation.id,
        appKey: installation.appKey,
        sandbox: installation.sandbox,
        secret: await this.secrets.ensureForInstallation(installation.appKey),
        webhooks: grantedWebhooks(manifest, installation.grantedScopes),
      },
      { token },
    );
    return { result: { subscriptions } };
  }
}

export function neededSteps(manifest: Manifest, grantedScopes: readonly string[]): StepName[] {
  const needed: [StepName, boolean][] = [
    ['objects', Boolean(manifest.objects?.length) && coversScope(grantedScopes, 'custom_objects')],
    ['workflows', Boolean(manifest.automations?.length) && coversScope(grantedScopes, 'automations')],
    ['subscriptions', grantedWebhooks(manifest, grantedScopes).length > 0],
    // Embedding stands on the installation in the publisher's workspace, which identity knows by it.
    ['authorization', manifest.oauth !== undefined || manifest.embed !== undefined],
  ];
  return needed.filter(([, isNeeded]) => isNeeded).map(([name]) => name);
}

/** Parts of a certified manifest as calls between services carry them: the owner reads them with its own types. */
function asJsonObjects(parts: readonly object[]): Record<string, unknown>[] {
  return parts.map((part) => ({ ...part }));
}
